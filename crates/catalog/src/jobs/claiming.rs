//! Claiming the job that has been due for longest.

use sea_orm::sea_query::{
    CaseStatement, Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement, SimpleExpr,
    UpdateStatement,
};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, Set};
use tonearm_domain::{ClaimedJob, Job, JobId, LeaseId, Outage, Timestamp, death_pause_millis};

use super::listing::count;
use crate::column::{decoded, moment_if_set, parsed_if_set};
use crate::entity::job::{ActiveModel, Column, Entity, Model};
use crate::{Catalog, CatalogError};

/// How long a job of this version's kinds waits whose content this version does not understand: for another node, or
/// for a newer version here.
const UNREADABLE_PAUSE_SECONDS: i64 = 3600;

/// What is asked of the table to claim a job.
struct Claim {
    now: SimpleExpr,
    lease: LeaseId,
    leased_until: SimpleExpr,
    lease_millis: i64,
}

/// The number of deaths from which on the pause after one no longer grows.
const LAST_DOUBLING: u32 = 16;

impl Claim {
    /// The job that has been due for longest, that this version knows and that nobody holds. A dead worker's job is
    /// left alone for a while that grows with its deaths.
    fn next_due(&self) -> SelectStatement {
        let mut pause = CaseStatement::new();
        for deaths in 0..LAST_DOUBLING {
            pause = pause.case(Column::Deaths.eq(deaths), death_pause_millis(deaths, self.lease_millis));
        }
        let pause = pause.finally(death_pause_millis(LAST_DOUBLING, self.lease_millis));
        let taken_over = Expr::col(Column::LeasedUntil).add(SimpleExpr::Case(Box::new(pause)));
        Query::select()
            .column(Column::Id)
            .from(Entity)
            .and_where(Column::FailedAt.is_null())
            .and_where(Expr::col(Column::RunAt).lte(self.now.clone()))
            .and_where(Column::LeasedUntil.is_null().or(taken_over.lte(self.now.clone())))
            .and_where(Column::Kind.is_in(Job::KINDS))
            .order_by(Column::RunAt, Order::Asc)
            .order_by(Column::Id, Order::Asc)
            .limit(1)
            // Left out on SQLite, where nobody else writes during the statement.
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .take()
    }

    /// A lease that is still there was left by a worker that died. Values on the right are those before the update.
    fn statement(&self) -> UpdateStatement {
        // `= (…)` and not `IN (…)`, which PostgreSQL may evaluate again for every row.
        let next: SimpleExpr = SimpleExpr::SubQuery(None, Box::new(self.next_due().into()));
        let has_died = || Column::LeaseId.is_not_null();
        let deaths = CaseStatement::new().case(has_died(), Expr::col(Column::Deaths).add(1));
        let counts = Expr::col(Column::LeasedUntil).lte(Expr::col(Column::TrialUntil));
        let deaths_alone = CaseStatement::new()
            .case(has_died().and(counts), Expr::col(Column::DeathsAlone).add(1))
            .case(has_died().and(Column::TrialUntil.is_not_null()), 0);
        Query::update()
            .table(Entity)
            .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
            .value(Column::Deaths, deaths.finally(Expr::col(Column::Deaths)))
            .value(Column::DeathsAlone, deaths_alone.finally(Expr::col(Column::DeathsAlone)))
            .value(Column::TrialUntil, None::<i64>)
            .value(Column::LeaseId, self.lease.uuid())
            .value(Column::LeasedUntil, self.leased_until.clone())
            .value(Column::UniqueKey, None::<String>)
            .and_where(Expr::col(Column::Id).eq(next))
            .returning_all()
            .take()
    }
}

impl Catalog {
    /// Claims the job that has been due for longest and that nobody holds, until `leased_until`. This counts as an
    /// attempt, whatever comes of it. Jobs of kinds that this version does not know are left to others. One that is
    /// of a known kind and yet cannot be read waits for an hour, and is reported as [`CatalogError::Corrupt`]; the next
    /// call claims another.
    pub async fn claim_job(
        &self,
        now: Timestamp,
        lease: LeaseId,
        leased_until: Timestamp,
    ) -> Result<Option<ClaimedJob>, CatalogError> {
        let lease_millis = leased_until.unix_millis() - now.unix_millis();
        let clock = self.due_clock();
        // Both ends of the lease by the same look at the clock that decides.
        let now_there = clock.now(now);
        let until_there = now_there.clone().add(lease_millis);
        let claim = Claim { now: now_there, lease, leased_until: until_there, lease_millis };
        let Some(row) = self.writer().query_one(&claim.statement()).await? else {
            return Ok(None);
        };
        let row = Model::from_query_result(&row, "")?;
        let id = JobId::from_uuid(row.id);
        match claimed(row, lease, leased_until) {
            Ok(claimed) => Ok(Some(claimed)),
            Err(error) => {
                let run_at = clock.at(now.plus_seconds(UNREADABLE_PAUSE_SECONDS));
                self.leave_unreadable(id, lease, run_at).await?;
                Err(error)
            }
        }
    }

    async fn leave_unreadable(
        &self,
        id: JobId,
        lease: LeaseId,
        run_at: SimpleExpr,
    ) -> Result<(), CatalogError> {
        let sentence = "this version of Tonearm cannot read this job; it waits for one that can";
        let left = ActiveModel {
            last_error: Set(Some(sentence.to_owned())),
            lease_id: Set(None),
            leased_until: Set(None),
            ..Default::default()
        };
        Entity::update_many()
            .set(left)
            .col_expr(Column::RunAt, run_at)
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::LeaseId.eq(lease.uuid()))
            .exec(self.writer())
            .await?;
        Ok(())
    }
}

/// A row that was just claimed, its moments moved to the caller's clock.
fn claimed(row: Model, lease: LeaseId, leased_until: Timestamp) -> Result<ClaimedJob, CatalogError> {
    let ahead = row.leased_until.map_or(0, |there| there - leased_until.unix_millis());
    let since = moment_if_set("job.failing_since", row.failing_since)?;
    Ok(ClaimedJob {
        id: JobId::from_uuid(row.id),
        job: decoded::<Job>("job.payload", row.payload)?,
        attempt: count("job.attempts", row.attempts)?,
        failures: count("job.failures", row.failures)?,
        deaths: count("job.deaths", row.deaths)?,
        deaths_alone: count("job.deaths_alone", row.deaths_alone)?,
        failing_since: since.map(|since| since.plus_millis(-ahead)),
        waits_for: parsed_if_set::<Outage>("job.waits_for", row.waits_for.as_deref())?,
        lease,
        leased_until,
    })
}
