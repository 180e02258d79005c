//! Jobs that wait for a part of the service to come back.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::{
    CaseStatement, Expr, ExprTrait, LockBehavior, LockType, Query, SimpleExpr, UpdateStatement,
};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, Order, QueryFilter, QueryOrder, QuerySelect, Set,
};
use tonearm_domain::{ClaimedJob, Job, JobClass, Outage, Timestamp, TrackId};

use super::{released, update_held};
use crate::catalog::Catalog;
use crate::column::{foreign_text, moment, parsed};
use crate::due_clock::DueClock;
use crate::entity::job::{ActiveModel, Column, Entity};
use crate::error::CatalogError;

/// How a job waits after its run met an outage.
#[derive(Debug, Clone, Copy)]
pub struct Wait<'a> {
    /// What it waits for.
    pub outage: Outage,
    /// When the run ended. It is recorded if the previous run did not end in an outage.
    pub failed_at: Timestamp,
    /// When it is retried, unless it is made due earlier.
    pub run_at: Timestamp,
    /// When it may first be retried early, to check whether what it waits for is back. None: not before `run_at`.
    pub probe_at: Option<Timestamp>,
    /// What happened, as a sentence.
    pub reason: &'a str,
}

fn waiting_for(outage: Outage) -> Condition {
    Condition::all()
        .add(Column::WaitsFor.eq(outage.as_str()))
        .add(Column::FailedAt.is_null())
        .add(Column::LeaseId.is_null())
}

/// Makes the next job that waits for an outage due, unless one is already due.
fn probe(outage: Outage, clock: &DueClock, now: Timestamp) -> UpdateStatement {
    let now = clock.now(now);
    let is_due = Query::select()
        .expr(Expr::val(1))
        .from(Entity)
        .cond_where(waiting_for(outage))
        .and_where(Expr::col(Column::RunAt).lte(now.clone()))
        .take();
    let next = Query::select()
        .column(Column::Id)
        .from(Entity)
        .cond_where(waiting_for(outage))
        .and_where(Expr::col(Column::ProbeAt).lte(now.clone()))
        .and_where(Expr::exists(is_due).not())
        .order_by(Column::ProbeAt, Order::Asc)
        .order_by(Column::Id, Order::Asc)
        .limit(1)
        .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
        .take();
    Query::update()
        .table(Entity)
        .value(Column::RunAt, now)
        .and_where(Expr::col(Column::Id).eq(SimpleExpr::SubQuery(None, Box::new(next.into()))))
        .take()
}

impl Catalog {
    /// Makes a job wait for a part of the service. This does not count as a failure. Returns `false` if the lease is
    /// lost.
    pub async fn wait_job(&self, claimed: &ClaimedJob, wait: Wait<'_>) -> Result<bool, CatalogError> {
        let row = ActiveModel {
            waits_for: Set(Some(wait.outage.as_str().to_owned())),
            last_error: Set(Some(foreign_text(wait.reason))),
            // Not set if an earlier version queued the job.
            track_id: Set(claimed.job.track_id().map(|id| id.uuid())),
            ..released()
        };
        let clock = self.due_clock();
        // How long a job has been overloading the server says something about the job. How long other parts were
        // unavailable does not, so that time does not count.
        let mut is_first = Column::FailingSince.is_null();
        if wait.outage == Outage::Overload {
            is_first = is_first.or(Column::WaitsFor.ne(wait.outage.as_str()));
        }
        let since = CaseStatement::new()
            .case(is_first, clock.at(wait.failed_at))
            .finally(Expr::col(Column::FailingSince));
        let probe_at = wait.probe_at.map_or(Expr::value(None::<i64>), |at| clock.at(at));
        let changed = update_held(claimed)
            .set(row)
            .col_expr(Column::FailingSince, since.into())
            .col_expr(Column::RunAt, clock.at(wait.run_at))
            .col_expr(Column::ProbeAt, probe_at)
            .exec(self.writer())
            .await?;
        self.wake_for(claimed, wait.run_at);
        Ok(changed.rows_affected > 0)
    }

    /// Makes one waiting job of each outage due, to check whether what it waits for is back: the job that could have
    /// been retried early for the longest time. Returns the number of jobs.
    pub async fn probe_outages(&self, now: Timestamp) -> Result<u64, CatalogError> {
        let some = Entity::find().select_only().column(Column::Id).filter(Column::WaitsFor.is_not_null());
        if some.limit(1).into_tuple::<uuid::Uuid>().one(self.reader()).await?.is_none() {
            return Ok(0);
        }
        let mut made_due = 0;
        for outage in Outage::ALL {
            let probe = probe(outage, self.due_clock(), now);
            made_due += self.writer().execute(&probe).await?.rows_affected();
        }
        if made_due > 0 {
            self.wakers().wake_all_jobs();
        }
        Ok(made_due)
    }

    /// Makes at most `most` jobs that wait for an outage due, those with the earliest time first. Returns the number of
    /// jobs.
    pub async fn release_waiting(
        &self,
        outage: Outage,
        now: Timestamp,
        most: u64,
    ) -> Result<u64, CatalogError> {
        let tx = self.begin().await?;
        let now = tx.due_clock().now(now);
        let ids: Vec<uuid::Uuid> = Entity::find()
            .select_only()
            .column(Column::Id)
            .filter(waiting_for(outage))
            .filter(Expr::col(Column::RunAt).gt(now.clone()))
            .order_by_asc(Column::RunAt)
            .order_by_asc(Column::Id)
            .limit(most)
            .lock_with_behavior(LockType::Update, LockBehavior::SkipLocked)
            .into_tuple()
            .all(tx.db())
            .await?;
        if ids.is_empty() {
            return Ok(0);
        }
        let released = Entity::update_many()
            .col_expr(Column::RunAt, now)
            .filter(Column::Id.is_in(ids))
            .exec(tx.db())
            .await?
            .rows_affected;
        for class in JobClass::ALL {
            (0..released).for_each(|_| tx.note_enqueued(class));
        }
        tx.commit().await?;
        Ok(released)
    }

    /// The tracks among these whose processing or import has been due since `since`, and that no worker has begun,
    /// although nothing is unavailable.
    pub async fn queued_tracks(
        &self,
        tracks: &[TrackId],
        since: Timestamp,
    ) -> Result<HashSet<TrackId>, CatalogError> {
        if tracks.is_empty() {
            return Ok(HashSet::new());
        }
        let queued: Vec<uuid::Uuid> = Entity::find()
            .select_only()
            .column(Column::TrackId)
            .filter(Column::TrackId.is_in(tracks.iter().map(|id| id.uuid())))
            .filter(Column::Kind.is_in([Job::PROCESS_TRACK, Job::IMPORT_SOURCE]))
            .filter(Column::LeaseId.is_null())
            .filter(Column::FailedAt.is_null())
            .filter(Column::WaitsFor.is_null())
            .filter(Expr::col(Column::RunAt).lte(self.due_clock().at(since)))
            .into_tuple()
            .all(self.reader())
            .await?;
        Ok(queued.into_iter().map(TrackId::from_uuid).collect())
    }

    /// The tracks among these whose processing waits for a part of the service, with the part, and since when they
    /// wait.
    pub async fn waiting_jobs_of_tracks(
        &self,
        tracks: &[TrackId],
    ) -> Result<HashMap<TrackId, (Outage, Timestamp)>, CatalogError> {
        if tracks.is_empty() {
            return Ok(HashMap::new());
        }
        let rows = Entity::find()
            .filter(Column::TrackId.is_in(tracks.iter().map(|id| id.uuid())))
            .filter(Column::WaitsFor.is_not_null())
            .filter(Column::FailedAt.is_null())
            .filter(Column::Kind.is_in(["process_track", Job::IMPORT_SOURCE]))
            .all(self.reader())
            .await?;
        let mut waiting = HashMap::new();
        for row in rows {
            let (Some(track), Some(outage), Some(since)) = (row.track_id, row.waits_for, row.failing_since)
            else {
                continue;
            };
            let outage = parsed("job.waits_for", &outage)?;
            let since = moment("job.failing_since", since)?;
            waiting.insert(TrackId::from_uuid(track), (outage, since));
        }
        Ok(waiting)
    }
}
