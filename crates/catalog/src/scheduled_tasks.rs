//! Periodic tasks that one node runs for all nodes: the `scheduled_task` table.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{ScheduledTask, Timestamp};

use crate::catalog::Catalog;
use crate::due_clock::DueClock;
use crate::entity::scheduled_task::{Column, Entity};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// The task is due. A next run that is further away than is ever planned was written by a wrong clock, and counts as
/// due.
fn is_due(task: ScheduledTask, now: SimpleExpr) -> Condition {
    let next_run = || Expr::col((Entity, Column::NextRun));
    let furthest = now.clone().add(2 * period_millis(task));
    Condition::any().add(next_run().lte(now)).add(next_run().gt(furthest))
}

fn period_millis(task: ScheduledTask) -> i64 {
    task.period_seconds() * 1000
}

/// Takes a task that is due. It is not due again until its period is over.
async fn take<C: ConnectionTrait>(
    db: &C,
    clock: &DueClock,
    task: ScheduledTask,
    now: Timestamp,
) -> Result<bool, CatalogError> {
    let now = clock.now(now);
    let taken = Entity::update_many()
        .col_expr(Column::NextRun, now.clone().add(period_millis(task)))
        .filter(Column::Name.eq(task.as_str()))
        .filter(is_due(task, now.clone()))
        .exec(db)
        .await?;
    if taken.rows_affected > 0 {
        return Ok(true);
    }
    let is_first_now = task.first_after_seconds() == 0;
    let until_next = if is_first_now { period_millis(task) } else { task.first_after_seconds() * 1000 };
    let first = Query::insert()
        .into_table(Entity)
        .columns([Column::Name, Column::NextRun])
        .values_panic([task.as_str().into(), now.add(until_next)])
        .on_conflict(OnConflict::column(Column::Name).do_nothing().to_owned())
        .take();
    let is_first = db.execute(&first).await?.rows_affected() > 0;
    Ok(is_first && is_first_now)
}

impl Catalog {
    /// Whether a task may be due. Only reads, so it does not wait for writers.
    pub async fn is_task_due(&self, task: ScheduledTask, now: Timestamp) -> Result<bool, CatalogError> {
        let waits = Entity::find_by_id(task.as_str())
            .select_only()
            .column(Column::Name)
            .filter(is_due(task, self.due_clock().now(now)).not())
            .into_tuple::<String>()
            .one(self.reader());
        Ok(waits.await?.is_none())
    }

    /// Takes a task that is due. Returns `true` to only one node, which then runs the task. The task can be taken again
    /// after its period, whatever the outcome of this run.
    pub async fn take_task(&self, task: ScheduledTask, now: Timestamp) -> Result<bool, CatalogError> {
        Ok(self.is_task_due(task, now).await? && take(self.writer(), self.due_clock(), task, now).await?)
    }
}

impl Transaction {
    /// As [`Catalog::take_task`], as part of this transaction.
    pub async fn take_task(&self, task: ScheduledTask, now: Timestamp) -> Result<bool, CatalogError> {
        take(self.db(), self.due_clock(), task, now).await
    }
}
