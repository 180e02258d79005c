//! Queues one or many jobs.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use tonearm_domain::{ClaimedJob, Job, JobId, JobQueue, OrganizationId, Timestamp, TraceContext, TrackId};
use uuid::Uuid;

use super::update_held;
use crate::column::encoded;
use crate::entity::job::{Column, Entity};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// The most jobs in one statement: databases limit the number of parameters.
const BATCH: usize = 500;

/// A job to be queued.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// The job.
    pub job: Job,
    /// Its id.
    pub id: JobId,
    /// When it may run.
    pub run_at: Timestamp,
    /// See [`Transaction::enqueue`].
    pub unique: Option<String>,
    /// The queue in which it waits.
    pub queue: JobQueue,
    /// The trace that it continues; `None` if it begins one.
    pub trace: Option<TraceContext>,
}

impl NewJob {
    /// Creates a job in the queue of its kind. It begins a trace of its own: many jobs would make one trace too large
    /// to read.
    pub const fn new(job: Job, id: JobId, run_at: Timestamp) -> Self {
        let queue = job.queue();
        Self { job, id, run_at, unique: None, queue, trace: None }
    }
}

impl Transaction {
    /// Queues a job that does not run before `run_at`. With a `unique` key, nothing is queued while another job with
    /// the same key waits for its first claim. A running job does not count, because it may have started before the
    /// change that this job is for. The job continues the current trace.
    pub async fn enqueue(
        &self,
        job: Job,
        id: JobId,
        run_at: Timestamp,
        unique: Option<&str>,
    ) -> Result<(), CatalogError> {
        let unique = unique.map(str::to_owned);
        let trace = tonearm_telemetry::current_trace();
        self.enqueue_all(vec![NewJob { unique, trace, ..NewJob::new(job, id, run_at) }]).await
    }

    /// Queues many jobs, a few hundred per statement. Jobs with unique keys are sorted by key, so that two transactions
    /// that queue the same ones do not deadlock.
    pub async fn enqueue_all(&self, mut jobs: Vec<NewJob>) -> Result<(), CatalogError> {
        jobs.sort_by(|one, other| one.unique.cmp(&other.unique));
        for batch in jobs.chunks(BATCH) {
            self.insert_jobs(batch).await?;
        }
        Ok(())
    }

    async fn insert_jobs(&self, jobs: &[NewJob]) -> Result<(), CatalogError> {
        let mut insert = Query::insert();
        insert.into_table(Entity).columns([
            Column::Id,
            Column::Kind,
            Column::Payload,
            Column::UniqueKey,
            Column::TrackId,
            Column::Queue,
            Column::OrganizationId,
            Column::RunAt,
            Column::Attempts,
            Column::Failures,
            Column::Traceparent,
        ]);
        for new in jobs {
            let row: [SimpleExpr; 11] = [
                new.id.uuid().into(),
                new.job.kind().into(),
                encoded("job.payload", &new.job)?.into(),
                new.unique.clone().into(),
                new.job.track_id().map(TrackId::uuid).into(),
                new.queue.as_str().into(),
                new.job.turn_of().uuid().into(),
                self.due_clock().at(new.run_at),
                0.into(),
                0.into(),
                new.trace.map(|trace| trace.to_string()).into(),
            ];
            insert.values_panic(row);
        }
        insert.on_conflict(OnConflict::column(Column::UniqueKey).do_nothing().to_owned());
        // A job that was already queued wakes no worker. Of several jobs, it is not known which were.
        if self.db().execute(&insert).await?.rows_affected() > 0 {
            jobs.iter().for_each(|new| self.note_put_off(new.queue.class(), new.run_at));
        }
        Ok(())
    }

    /// Whether at least `most` jobs of an organization are due in a queue. A caller that queues many jobs then
    /// continues later. Jobs that are not due yet, such as purges of restorable content, do not count.
    pub async fn has_due_jobs(
        &self,
        queue: JobQueue,
        organization: OrganizationId,
        now: Timestamp,
        most: u64,
    ) -> Result<bool, CatalogError> {
        let last = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(Column::Queue.eq(queue.as_str()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::LeaseId.is_null())
            .filter(Column::FailedAt.is_null())
            .filter(Expr::col(Column::RunAt).lte(self.due_clock().now(now)))
            .order_by_asc(Column::RunAt)
            .order_by_asc(Column::Id)
            .offset(most.saturating_sub(1))
            .limit(1);
        Ok(last.into_tuple::<Uuid>().one(self.db()).await?.is_some())
    }

    /// Writes the progress of a job of many batches, so that a worker that takes it over continues from there. Returns
    /// `false` if the lease was lost: another worker does the job, and this transaction must be rolled back.
    pub async fn update_job(&self, claimed: &ClaimedJob, job: &Job) -> Result<bool, CatalogError> {
        let changed = update_held(claimed)
            .col_expr(Column::Payload, Expr::value(encoded("job.payload", job)?))
            .exec(self.db())
            .await?;
        Ok(changed.rows_affected > 0)
    }

    /// Removes the job that would expire the upload of a track, because its bytes have arrived. If the job is running,
    /// it finds nothing to do.
    pub async fn delete_upload_expiry(&self, track: TrackId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::TrackId.eq(track.uuid()))
            .filter(Column::Kind.eq(Job::EXPIRE_UPLOAD))
            .filter(Column::LeaseId.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Removes the jobs of a kind for a track that no worker runs and that were not given up.
    pub async fn withdraw_jobs(&self, kind: &str, track: TrackId) -> Result<(), CatalogError> {
        Entity::delete_many()
            .filter(Column::TrackId.eq(track.uuid()))
            .filter(Column::Kind.eq(kind))
            .filter(Column::LeaseId.is_null())
            .filter(Column::FailedAt.is_null())
            .exec(self.db())
            .await?;
        Ok(())
    }
}
