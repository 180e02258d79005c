//! The jobs table: queued in the transaction that needs them, claimed under a lease.
//!
//! A job waits until its time, is claimed by one worker for as long as its lease, and is removed in the transaction
//! that records what it did. A worker that dies keeps its lease until that runs out; then another takes over.
//! Whoever lost the lease is told so by `false` and must not record anything.

use sea_orm::sea_query::{
    Expr, ExprTrait, LockBehavior, LockType, Query, SelectStatement, SimpleExpr, UpdateStatement,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, FromQueryResult, Order, QueryFilter, QueryOrder,
    QuerySelect, Set, TryInsertResult, UpdateMany,
};
use tonearm_domain::{ClaimedJob, Job, JobId, LeaseId, Timestamp};

use crate::column::{corrupt, decoded, encoded, foreign_text, moment, moment_if_set};
use crate::entity::job::{ActiveModel, Column, Entity, Model};
use crate::query::{TO_CHANGE, all};
use crate::{Catalog, CatalogError, Transaction};

/// A job in the table, for people to see: waiting, running or given up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingJob {
    /// Its id.
    pub id: JobId,
    /// Its kind, as [`Job::kind`] gives it.
    pub kind: String,
    /// What to do; none if this version cannot read it.
    pub job: Option<Job>,
    /// How many times it was claimed.
    pub attempts: u32,
    /// When it may be claimed.
    pub run_at: Timestamp,
    /// When the lease of whoever runs it ends.
    pub leased_until: Option<Timestamp>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it was given up.
    pub failed_at: Option<Timestamp>,
}

impl TryFrom<Model> for PendingJob {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: JobId::from_uuid(row.id),
            kind: row.kind,
            job: serde_json::from_value(row.payload).ok(),
            attempts: attempts(row.attempts)?,
            run_at: moment("job.run_at", row.run_at)?,
            leased_until: moment_if_set("job.leased_until", row.leased_until)?,
            last_error: row.last_error,
            failed_at: moment_if_set("job.failed_at", row.failed_at)?,
        })
    }
}

fn attempts(count: i32) -> Result<u32, CatalogError> {
    u32::try_from(count).map_err(|_| corrupt("job.attempts"))
}

/// The job that has been due for longest and that nobody holds.
fn next_due(now: Timestamp) -> SelectStatement {
    let now = now.unix_millis();
    Query::select()
        .column(Column::Id)
        .from(Entity)
        .and_where(Column::FailedAt.is_null())
        .and_where(Column::RunAt.lte(now))
        .and_where(Column::LeasedUntil.is_null().or(Column::LeasedUntil.lte(now)))
        .order_by(Column::RunAt, Order::Asc)
        .order_by(Column::Id, Order::Asc)
        .limit(1)
        // Left out on SQLite, where nobody else writes during the statement.
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take()
}

fn claim(now: Timestamp, lease: LeaseId, leased_until: Timestamp) -> UpdateStatement {
    // `= (…)` and not `IN (…)`, which PostgreSQL may evaluate again for every row.
    let next: SimpleExpr = SimpleExpr::SubQuery(None, Box::new(next_due(now).into()));
    Query::update()
        .table(Entity)
        .value(Column::Attempts, Expr::col(Column::Attempts).add(1))
        .value(Column::LeaseId, lease.uuid())
        .value(Column::LeasedUntil, leased_until.unix_millis())
        .value(Column::UniqueKey, None::<String>)
        .and_where(Expr::col(Column::Id).eq(next))
        .returning_all()
        .take()
}

/// A change to a job that only its holder may make.
fn update_held(claimed: &ClaimedJob) -> UpdateMany<Entity> {
    Entity::update_many().filter(held(claimed))
}

fn held(claimed: &ClaimedJob) -> Condition {
    Condition::all()
        .add(Column::Id.eq(claimed.id.uuid()))
        .add(Column::LeaseId.eq(claimed.lease.uuid()))
        .add(Column::FailedAt.is_null())
}

/// A job that nobody holds any more.
fn released() -> ActiveModel {
    ActiveModel { lease_id: Set(None), leased_until: Set(None), ..Default::default() }
}

async fn retry<C: ConnectionTrait>(
    db: &C,
    claimed: &ClaimedJob,
    run_at: Timestamp,
    error: &str,
) -> Result<bool, CatalogError> {
    let waiting = ActiveModel {
        run_at: Set(run_at.unix_millis()),
        last_error: Set(Some(foreign_text(error))),
        ..released()
    };
    let changed = update_held(claimed)
        .set(waiting)
        .col_expr(Column::Failures, Expr::col(Column::Failures).add(1))
        .exec(db)
        .await?;
    Ok(changed.rows_affected > 0)
}

impl Catalog {
    /// Claims the job that has been due for longest and that nobody holds, until `leased_until`. This counts as an
    /// attempt, whatever comes of it. A job that this version cannot read is given up, and reported as an error.
    pub async fn claim_job(
        &self,
        now: Timestamp,
        lease: LeaseId,
        leased_until: Timestamp,
    ) -> Result<Option<ClaimedJob>, CatalogError> {
        let Some(row) = self.writer().query_one(&claim(now, lease, leased_until)).await? else {
            return Ok(None);
        };
        let row = Model::from_query_result(&row, "")?;
        let id = JobId::from_uuid(row.id);
        match decoded::<Job>("job.payload", row.payload) {
            Ok(job) => {
                let (attempt, failures) = (attempts(row.attempts)?, attempts(row.failures)?);
                Ok(Some(ClaimedJob { id, job, attempt, failures, failing_since: None, lease, leased_until }))
            }
            Err(error) => {
                self.give_up_unreadable(id, now, &error).await?;
                Err(error)
            }
        }
    }

    async fn give_up_unreadable(
        &self,
        id: JobId,
        now: Timestamp,
        error: &CatalogError,
    ) -> Result<(), CatalogError> {
        let failed = ActiveModel {
            last_error: Set(Some(error.to_string())),
            failed_at: Set(Some(now.unix_millis())),
            ..released()
        };
        Entity::update_many().set(failed).filter(Column::Id.eq(id.uuid())).exec(self.writer()).await?;
        Ok(())
    }

    /// Holds a job until a later moment. `false`: the lease is lost.
    pub async fn renew_lease(&self, claimed: &ClaimedJob, until: Timestamp) -> Result<bool, CatalogError> {
        let changed = update_held(claimed)
            .col_expr(Column::LeasedUntil, Expr::value(until.unix_millis()))
            .exec(self.writer())
            .await?;
        Ok(changed.rows_affected > 0)
    }

    /// Gives a job back untouched, for shutdown: the attempt does not count. `false`: the lease was lost.
    pub async fn return_lease(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let changed = update_held(claimed)
            .set(released())
            .col_expr(Column::Attempts, Expr::col(Column::Attempts).sub(1))
            .exec(self.writer())
            .await?;
        Ok(changed.rows_affected > 0)
    }

    /// Lets a job wait until `run_at` for its next attempt, and remembers why. `false`: the lease is lost.
    pub async fn retry_job(
        &self,
        claimed: &ClaimedJob,
        run_at: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        retry(self.writer(), claimed, run_at, error).await
    }

    /// Every job that is waiting, running or given up, by the time it may run.
    pub async fn pending_jobs(&self) -> Result<Vec<PendingJob>, CatalogError> {
        let select = Entity::find().order_by_asc(Column::RunAt).order_by_asc(Column::Id);
        all(self.reader(), select).await
    }
}

impl Transaction {
    /// Queues a job, not to run before `run_at`. With a `unique` key nothing is queued while another job with the
    /// same key waits for its first claim; one that is running does not count, as it may have begun before what
    /// this one is about.
    pub async fn enqueue(
        &self,
        job: Job,
        id: JobId,
        run_at: Timestamp,
        unique: Option<&str>,
    ) -> Result<(), CatalogError> {
        let row = ActiveModel {
            id: Set(id.uuid()),
            kind: Set(job.kind().to_owned()),
            payload: Set(encoded("job.payload", &job)?),
            unique_key: Set(unique.map(str::to_owned)),
            attempts: Set(0),
            failures: Set(0),
            run_at: Set(run_at.unix_millis()),
            lease_id: Set(None),
            leased_until: Set(None),
            last_error: Set(None),
            failed_at: Set(None),
        };
        let queued = Entity::insert(row)
            .on_conflict_do_nothing_on([Column::UniqueKey])
            .exec_without_returning(self.db())
            .await?;
        if matches!(queued, TryInsertResult::Inserted(1..)) {
            self.note_enqueued();
        }
        Ok(())
    }

    /// Removes a job that is done. `false`: the lease was lost, somebody else does the job, and this transaction
    /// must be rolled back.
    pub async fn finish_job(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let deleted = Entity::delete_many().filter(held(claimed)).exec(self.db()).await?;
        Ok(deleted.rows_affected > 0)
    }

    /// Whether a job is still held under its lease. It then stays so until the end of the transaction.
    pub async fn check_lease(&self, claimed: &ClaimedJob) -> Result<bool, CatalogError> {
        let held = Entity::find().filter(held(claimed)).lock(TO_CHANGE).one(self.db()).await?;
        Ok(held.is_some())
    }

    /// As [`Catalog::retry_job`], together with what else the transaction does.
    pub async fn retry_job(
        &self,
        claimed: &ClaimedJob,
        run_at: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        retry(self.db(), claimed, run_at, error).await
    }

    /// Gives a job up. It stays in the table for people to see and is never claimed again. `false`: the lease is
    /// lost.
    pub async fn give_up_job(
        &self,
        claimed: &ClaimedJob,
        now: Timestamp,
        error: &str,
    ) -> Result<bool, CatalogError> {
        let failed = ActiveModel {
            last_error: Set(Some(foreign_text(error))),
            failed_at: Set(Some(now.unix_millis())),
            ..released()
        };
        let changed = update_held(claimed).set(failed).exec(self.db()).await?;
        Ok(changed.rows_affected > 0)
    }
}
