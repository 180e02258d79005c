//! Jobs of workers that died.

use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, UpdateStatement};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{Timestamp, death_pause_millis};

use crate::catalog::Catalog;
use crate::entity::job::{Column, Entity};
use crate::error::CatalogError;

/// The number of deaths after which the pause no longer grows.
const LAST_DOUBLING: u32 = 16;

/// Expired leases. They were left by workers that died or stalled for that long.
fn run_out(now: impl Into<Expr>) -> Condition {
    Condition::all()
        .add(Column::LeaseId.is_not_null())
        .add(Column::FailedAt.is_null())
        .add(Expr::col(Column::LeasedUntil).lte(now))
}

/// Expressions on the right use the values before the update.
fn statement(now: Expr, lease_millis: i64) -> UpdateStatement {
    let mut pause = CaseStatement::new();
    for deaths in 0..LAST_DOUBLING {
        pause = pause.case(Column::Deaths.eq(deaths), death_pause_millis(deaths, lease_millis));
    }
    let pause = pause.finally(death_pause_millis(LAST_DOUBLING, lease_millis));
    let counts = Expr::col(Column::LeasedUntil).lte(Expr::col(Column::TrialUntil));
    let deaths_alone = CaseStatement::new()
        .case(counts, Expr::col(Column::DeathsAlone).add(1))
        .case(Column::TrialUntil.is_not_null(), 0)
        .finally(Expr::col(Column::DeathsAlone));
    Query::update()
        .table(Entity)
        .value(Column::RunAt, Expr::col(Column::LeasedUntil).add(Expr::Case(Box::new(pause))))
        .value(Column::Deaths, Expr::col(Column::Deaths).add(1))
        .value(Column::DeathsAlone, deaths_alone)
        .value(Column::TrialUntil, None::<i64>)
        .value(Column::LeaseId, None::<uuid::Uuid>)
        .value(Column::LeasedUntil, None::<i64>)
        .cond_where(run_out(now))
        .take()
}

impl Catalog {
    /// Releases the jobs whose leases have expired. Each waits for a pause that grows with the number of its deaths.
    /// `lease_millis` is the length of a lease. Returns the number of released jobs.
    pub async fn release_expired_leases(
        &self,
        now: Timestamp,
        lease_millis: i64,
    ) -> Result<u64, CatalogError> {
        let now = self.due_clock().now(now);
        // Usually there are none, and a read does not wait for writers.
        let some = Entity::find().select_only().column(Column::Id).filter(run_out(now.clone())).limit(1);
        if some.into_tuple::<uuid::Uuid>().one(self.reader()).await?.is_none() {
            return Ok(0);
        }
        let released = self.writer().execute(&statement(now, lease_millis)).await?.rows_affected();
        if released > 0 {
            self.wakers().wake_all_jobs();
        }
        Ok(released)
    }
}
