//! The jobs table: queued in the transaction that needs them, claimed under a lease.
//!
//! A job waits in its queue until it is due, is claimed by one worker for the duration of a lease, and is removed in
//! the transaction that records its result. If a worker dies, its job waits again once the lease has expired. A worker
//! that has lost its lease gets `false` and must not record anything.
//!
//! Times are passed by the caller's clock and stored by the clock that decides (see [`DueClock`]).
//!
//! [`DueClock`]: crate::DueClock

mod backlog;
mod claiming;
mod enqueueing;
mod expired_leases;
mod failures;
mod listing;
mod tally;
mod unassigned;
mod waiting;

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, Set, UpdateMany};
use tonearm_domain::{ClaimedJob, Timestamp};

use crate::catalog::Catalog;
use crate::column::foreign_text;
use crate::entity::job::{ActiveModel, Column, Entity};
use crate::error::CatalogError;
use crate::query::TO_CHANGE;
use crate::transaction::Transaction;
use crate::work_kind::WorkKind;

pub use claiming::RoundRobin;
pub use enqueueing::NewJob;
pub use failures::{FailedJobs, JobFailures};
pub use listing::{JobFilter, JobState, PendingJob};
pub use tally::JobTally;
pub use waiting::Wait;

/// An update of a job that only the holder of its lease may make.
fn update_held(claimed: &ClaimedJob) -> UpdateMany<Entity> {
    Entity::update_many().filter(lease_is_held(claimed))
}

fn lease_is_held(claimed: &ClaimedJob) -> Condition {
    Condition::all()
        .add(Column::Id.eq(claimed.id.uuid()))
        .add(Column::LeaseId.eq(claimed.lease.uuid()))
        .add(Column::FailedAt.is_null())
}

/// A job whose worker releases the lease. That worker is alive, so the deaths of earlier workers are reset.
fn released() -> ActiveModel {
    ActiveModel {
        lease_id: Set(None),
        leased_until: Set(None),
        deaths: Set(0),
        deaths_alone: Set(0),
        trial_until: Set(None),
        ..Default::default()
    }
}

/// Like [`released`], for a run that was not stopped by the outage that earlier runs had failed for.
fn past_outages() -> ActiveModel {
    ActiveModel { waits_for: Set(None), failing_since: Set(None), probe_at: Set(None), ..released() }
}

impl Catalog {
    /// Extends the lease of a job until `until`. `false`: the lease is lost.
    pub async fn renew_lease(&self, claimed: &ClaimedJob, until: Timestamp) -> Result<bool, CatalogError> {
        let changed = update_held(claimed)
            .col_expr(Column::LeasedUntil, self.due_clock().at(until))
            .exec(self.writer())
            .await?;
        Ok(changed.rows_affected > 0)
    }

    /// Releases a job unchanged, for shutdown: the attempt does not count. `false`: the lease was lost.
    pub async fn return_lease(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let untouched = ActiveModel {
            lease_id: Set(None),
            leased_until: Set(None),
            trial_until: Set(None),
            ..Default::default()
        };
        let changed = update_held(claimed)
            .set(untouched)
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).sub(1))
            .exec(self.writer())
            .await?;
        self.wakers().wake(WorkKind::Jobs(claimed.job.queue().class()));
        Ok(changed.rows_affected > 0)
    }

    /// Records that a suspect job runs alone from now on: if its lease expires by `until`, the death of the worker
    /// counts against the job. `false`: the lease is lost.
    pub async fn begin_trial(&self, claimed: &ClaimedJob, until: Timestamp) -> Result<bool, CatalogError> {
        let changed = update_held(claimed)
            .col_expr(Column::TrialUntil, self.due_clock().at(until))
            .exec(self.writer())
            .await?;
        Ok(changed.rows_affected > 0)
    }

    /// Counts a failure, records its error, and schedules the next attempt for `run_at`. `false`: the lease is lost.
    pub async fn retry_job(
        &self,
        claimed: &ClaimedJob,
        run_at: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        self.schedule(claimed, run_at, error, true).await
    }

    /// Like [`Catalog::retry_job`], for an attempt that does not count as a failure.
    pub async fn put_off_job(
        &self,
        claimed: &ClaimedJob,
        run_at: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        self.schedule(claimed, run_at, error, false).await
    }

    async fn schedule(
        &self,
        claimed: &ClaimedJob,
        run_at: Timestamp,
        error: &str,
        is_failure: bool,
    ) -> Result<bool, CatalogError> {
        let failed = ActiveModel { last_error: Set(Some(foreign_text(error))), ..past_outages() };
        let changed = update_held(claimed)
            .set(failed)
            .col_expr(Column::RunAt, self.due_clock().at(run_at))
            .col_expr(Column::Failures, Expr::col(Column::Failures).add(i32::from(is_failure)))
            .exec(self.writer())
            .await?;
        self.wake_for(claimed, run_at);
        Ok(changed.rows_affected > 0)
    }
}

impl Catalog {
    /// Wakes workers for a postponed job, so that they know when it is due.
    fn wake_for(&self, claimed: &ClaimedJob, run_at: Timestamp) {
        if self.due_clock().is_soon(run_at) {
            self.wakers().wake(WorkKind::Jobs(claimed.job.queue().class()));
        }
    }
}

impl Transaction {
    /// Whether the lease of a job is still held; if so, it stays held until the end of the transaction. `false`:
    /// another worker does the job, and this transaction must be rolled back.
    ///
    /// An expired lease still counts as held until the job is released to other workers, since until then there is no
    /// work to conflict with.
    pub async fn check_lease(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let row = Entity::find().filter(lease_is_held(claimed)).lock(TO_CHANGE).one(self.db()).await?;
        Ok(row.is_some())
    }

    /// Removes a job that is done. `false`: the lease was lost, another worker does the job, and this transaction must
    /// be rolled back.
    pub async fn finish_job(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_many().filter(lease_is_held(claimed)).exec(self.db()).await?;
        Ok(deleted.rows_affected > 0)
    }

    /// Marks a job as permanently failed. It stays in the table for inspection and is not claimed again unless a retry
    /// is requested. `false`: the lease is lost.
    pub async fn give_up_job(
        &self,
        claimed: &ClaimedJob,
        now: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        let failed = ActiveModel {
            last_error: Set(Some(foreign_text(error))),
            failed_at: Set(Some(now.unix_millis())),
            ..past_outages()
        };
        let changed = update_held(claimed).set(failed).exec(self.db()).await?;
        Ok(changed.rows_affected > 0)
    }
}
