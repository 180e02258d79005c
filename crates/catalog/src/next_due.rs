//! How long until the next job or delivery is due. Workers that are notified of queued work can sleep that long instead
//! of polling.

use std::time::Duration;

use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Func, Order, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait};
use tonearm_domain::{JobClass, JobQueue, Timestamp};

use crate::catalog::Catalog;
use crate::deliveries::is_next_of_record;
use crate::entity::{job, webhook, webhook_delivery};
use crate::error::CatalogError;

/// Aliases used in the statements.
const DUE: &str = "due";
const PAUSED: &str = "paused";
const NEXT: &str = "next";

fn subquery(select: SelectStatement) -> SimpleExpr {
    SimpleExpr::SubQuery(None, Box::new(select.into()))
}

/// When the first waiting job of a queue is due. The conditions are those of the index.
fn first_job(queue: JobQueue) -> SimpleExpr {
    use job::{Column, Entity};
    let first = Query::select()
        .column(Column::RunAt)
        .from(Entity)
        .and_where(Column::Queue.eq(queue.as_str()))
        .and_where(Column::LeaseId.is_null())
        .and_where(Column::FailedAt.is_null())
        .order_by(Column::RunAt, Order::Asc)
        .limit(1)
        .take();
    subquery(first)
}

/// When the first lease ends.
fn first_lease() -> SimpleExpr {
    use job::{Column, Entity};
    let first = Query::select()
        .column(Column::LeasedUntil)
        .from(Entity)
        .and_where(Column::LeaseId.is_not_null())
        .and_where(Column::FailedAt.is_null())
        .order_by(Column::LeasedUntil, Order::Asc)
        .limit(1)
        .take();
    subquery(first)
}

/// When the first delivery can be claimed: when it is due and its endpoint no longer paused.
fn first_delivery() -> SimpleExpr {
    use webhook_delivery::{Column, Entity};
    let of_endpoint = Query::select()
        .column(Column::DueAt)
        .from(Entity)
        .and_where(Expr::col((Entity, Column::WebhookId)).equals((webhook::Entity, webhook::Column::Id)))
        .and_where(Column::DueAt.is_not_null())
        .and_where(is_next_of_record())
        .order_by(Column::DueAt, Order::Asc)
        .limit(1)
        .take();
    let each = Query::select()
        .expr_as(Expr::col(webhook::Column::PausedUntil), PAUSED)
        .expr_as(subquery(of_endpoint), DUE)
        .from(webhook::Entity)
        .take();
    let later = CaseStatement::new()
        .case(Expr::col(PAUSED).gt(Expr::col(DUE)), Expr::col(PAUSED))
        .finally(Expr::col(DUE));
    let first = Query::select()
        .expr(Func::min(Expr::Case(Box::new(later))))
        .from_subquery(each, NEXT)
        .and_where(Expr::col(DUE).is_not_null())
        .take();
    subquery(first)
}

impl Catalog {
    /// Time until the first waiting job of a class is due: zero if one is due now, `None` if no job waits.
    pub async fn next_job_due(
        &self,
        class: JobClass,
        now: Timestamp,
    ) -> Result<Option<Duration>, CatalogError> {
        self.until(class.queues().iter().copied().map(first_job), now).await
    }

    /// Time until the first job lease ends: zero if one has ended, `None` if no job is leased.
    pub async fn next_lease_end(&self, now: Timestamp) -> Result<Option<Duration>, CatalogError> {
        self.until([first_lease()], now).await
    }

    /// Time until the first delivery can be claimed: zero if one can be claimed now, `None` if no delivery waits.
    pub async fn next_delivery_due(&self, now: Timestamp) -> Result<Option<Duration>, CatalogError> {
        self.until([first_delivery()], now).await
    }

    /// Time until the earliest of these moments, by the clock that decides what is due.
    async fn until(
        &self,
        moments: impl IntoIterator<Item = SimpleExpr>,
        now: Timestamp,
    ) -> Result<Option<Duration>, CatalogError> {
        let now = self.due_clock().now(now);
        let mut select = Query::select();
        let mut count = 0;
        for moment in moments {
            select.expr(moment.sub(now.clone()));
            count += 1;
        }
        let Some(row) = self.reader().query_one(&select).await? else {
            return Ok(None);
        };
        let mut first: Option<i64> = None;
        for index in 0..count {
            let millis: Option<i64> = row.try_get_by_index(index)?;
            first = [first, millis].into_iter().flatten().min();
        }
        Ok(first.map(|millis| Duration::from_millis(u64::try_from(millis).unwrap_or(0))))
    }
}
