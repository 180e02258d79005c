//! Lists jobs for people, and changes single jobs.

use sea_orm::sea_query::{ExprTrait, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set,
};
use tonearm_domain::{Job, JobClass, JobId, LimitOffset, Outage, Timestamp, TrackId};
use uuid::Uuid;

use super::past_outages;
use crate::catalog::Catalog;
use crate::column::{corrupt, moment, moment_if_set, parsed_if_set};
use crate::entity::job::{ActiveModel, Column, Entity, Model};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, one, page, readable};
use crate::transaction::Transaction;

/// A job in the table, for display: waiting, running or given up. Times are by the clock that decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingJob {
    /// Its id.
    pub id: JobId,
    /// Its kind, as returned by [`Job::kind`].
    pub kind: String,
    /// The job itself. None if this version cannot read it.
    pub job: Option<Job>,
    /// The track it works on. None if it is about something else or was queued by an earlier version.
    pub track_id: Option<TrackId>,
    /// How many times it was claimed.
    pub attempts: u32,
    /// How many workers in a row died while they ran it.
    pub deaths: u32,
    /// When it may be claimed.
    pub run_at: Timestamp,
    /// When the lease of the worker that runs it ends.
    pub leased_until: Option<Timestamp>,
    /// The part of the service that it waits for.
    pub waits_for: Option<Outage>,
    /// Since when it has waited for that.
    pub failing_since: Option<Timestamp>,
    /// Why the last attempt failed.
    pub last_error: Option<String>,
    /// When it was given up.
    pub failed_at: Option<Timestamp>,
}

/// What a job is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It is due, or will be.
    Waiting,
    /// A worker has it.
    Running,
    /// It was given up.
    Failed,
}

impl JobState {
    /// Every state.
    pub const ALL: [Self; 3] = [Self::Waiting, Self::Running, Self::Failed];

    /// The state as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Failed => "failed",
        }
    }
}

impl std::str::FromStr for JobState {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|state| state.as_str() == text);
        known.ok_or_else(|| "must be waiting, running or failed".to_owned())
    }
}

/// Filters for jobs. A filter that is `None` matches all.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only those in this state.
    pub state: Option<JobState>,
    /// Only those of this kind.
    pub kind: Option<String>,
}

impl PendingJob {
    /// Its state. The job of a worker that died counts as running until its expired lease is released.
    pub fn state(&self) -> JobState {
        match (self.failed_at, self.leased_until) {
            (Some(_), _) => JobState::Failed,
            (None, Some(_)) => JobState::Running,
            (None, None) => JobState::Waiting,
        }
    }
}

impl TryFrom<Model> for PendingJob {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: JobId::from_uuid(row.id),
            kind: row.kind,
            job: serde_json::from_value(row.payload).ok(),
            track_id: row.track_id.map(TrackId::from_uuid),
            attempts: count("job.attempts", row.attempts)?,
            deaths: count("job.deaths", row.deaths)?,
            run_at: moment("job.run_at", row.run_at)?,
            leased_until: moment_if_set("job.leased_until", row.leased_until)?,
            waits_for: parsed_if_set("job.waits_for", row.waits_for.as_deref())?,
            failing_since: moment_if_set("job.failing_since", row.failing_since)?,
            last_error: row.last_error,
            failed_at: moment_if_set("job.failed_at", row.failed_at)?,
        })
    }
}

pub(super) fn count(column: &'static str, count: i32) -> Result<u32, CatalogError> {
    u32::try_from(count).map_err(|_| corrupt(column))
}

fn in_state(state: JobState) -> SimpleExpr {
    match state {
        JobState::Failed => Column::FailedAt.is_not_null(),
        JobState::Running => Column::FailedAt.is_null().and(Column::LeasedUntil.is_not_null()),
        JobState::Waiting => Column::FailedAt.is_null().and(Column::LeasedUntil.is_null()),
    }
}

impl Catalog {
    /// All jobs that are waiting, running or given up, ordered by the time they may run.
    pub async fn pending_jobs(&self) -> Result<Vec<PendingJob>, CatalogError> {
        let select = Entity::find().order_by_asc(Column::RunAt).order_by_asc(Column::Id);
        readable(self.reader(), select).await
    }

    /// The job with this id.
    pub async fn job(&self, id: JobId) -> Result<Option<PendingJob>, CatalogError> {
        one(self.reader(), Entity::find_by_id(id.uuid())).await
    }

    /// The number of matching jobs, and one page of them, ordered by the time they may run.
    pub async fn jobs(
        &self,
        filter: JobFilter,
        wanted: LimitOffset,
    ) -> Result<(u64, Vec<PendingJob>), CatalogError> {
        let matching = Condition::all()
            .add_option(filter.state.map(in_state))
            .add_option(filter.kind.map(|kind| Column::Kind.eq(kind)));
        let select = Entity::find().filter(matching).order_by_asc(Column::RunAt).order_by_asc(Column::Id);
        page(self.reader(), select, wanted).await
    }
}

/// Whether a job of this kind waits or runs for a track.
async fn has_job<C: ConnectionTrait>(db: &C, kind: &str, track: TrackId) -> Result<bool, CatalogError> {
    let select = Entity::find()
        .select_only()
        .column(Column::Id)
        .filter(Column::TrackId.eq(track.uuid()))
        .filter(Column::Kind.eq(kind))
        .filter(Column::FailedAt.is_null())
        .limit(1);
    Ok(select.into_tuple::<Uuid>().one(db).await?.is_some())
}

impl Catalog {
    /// Whether a job of this kind waits or runs for a track.
    pub async fn has_job(&self, kind: &str, track: TrackId) -> Result<bool, CatalogError> {
        has_job(self.reader(), kind, track).await
    }
}

impl Transaction {
    /// Whether a job of this kind waits or runs for a track.
    pub async fn has_job(&self, kind: &str, track: TrackId) -> Result<bool, CatalogError> {
        has_job(self.db(), kind, track).await
    }

    /// One job, locked for a change.
    pub async fn job_to_change(&self, id: JobId) -> Result<Option<PendingJob>, CatalogError> {
        one(self.db(), Entity::find_by_id(id.uuid()).lock(TO_CHANGE)).await
    }

    /// Makes a job due as if it had never been tried. It may have been given up, but no worker may be running it.
    pub async fn restart_job(&self, id: JobId, now: Timestamp) -> Result<(), CatalogError> {
        let anew = ActiveModel {
            attempts: Set(0),
            failures: Set(0),
            last_error: Set(None),
            failed_at: Set(None),
            ..past_outages()
        };
        Entity::update_many()
            .set(anew)
            .col_expr(Column::RunAt, self.due_clock().now(now))
            .filter(Column::Id.eq(id.uuid()))
            .exec(self.db())
            .await?;
        JobClass::ALL.into_iter().for_each(|class| self.note_enqueued(class));
        Ok(())
    }

    /// Removes a job in any state. A worker that runs it loses its lease.
    pub async fn delete_job(&self, id: JobId) -> Result<(), CatalogError> {
        Entity::delete_by_id(id.uuid()).exec(self.db()).await?;
        Ok(())
    }
}
