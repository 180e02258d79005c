//! The state of a job whose id was returned to a caller.

use tonearm_catalog::{JobState, PendingJob};
use tonearm_domain::{AnsweredJob, FileOutcome, Job, JobId, JobStatus, Timestamp, Track, TrackId};

use super::Library;
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// A job, for callers that received its id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobView {
    /// Its id.
    pub id: JobId,
    /// Its kind as text.
    pub kind: String,
    /// Its status.
    pub status: JobStatus,
    /// Why it waits, failed or was cancelled, as a sentence.
    pub reason: Option<String>,
    /// The track that it works on.
    pub track_id: Option<TrackId>,
    /// The number of attempts. None if it is no longer known.
    pub attempts: Option<u32>,
    /// When the next attempt is due, if it waits.
    pub next_attempt_at: Option<Timestamp>,
}

const TRIED_AGAIN: &str = "the last attempt failed; the job will be tried again";
const GIVEN_UP: &str = "the job was given up; the operator of the service can retry it";
const GONE: &str = "the track or the variant was deleted";

impl Library {
    /// A job of the caller's organization: one that is pending, or, for a week, one whose id was returned to a caller.
    pub async fn job(&self, caller: &Caller, id: JobId) -> Result<JobView, Refusal> {
        let not_found = || Refusal::NotFound(Resource::Job);
        let organization_id = caller.organization_id;
        // Pending jobs are read first: a job that is no longer pending has recorded its result.
        let pending = self.catalog.job(id).await?;
        let of_caller = |pending: &PendingJob| {
            pending.job.as_ref().and_then(Job::organization_id) == Some(organization_id)
        };
        if let Some(pending) = pending.filter(of_caller) {
            let track_id = pending.job.as_ref().and_then(Job::track_id);
            self.job_track(caller, track_id).await?;
            return Ok(JobView::of_pending(pending, track_id));
        }
        let answered = self.catalog.answered_job(organization_id, id).await?.ok_or_else(not_found)?;
        let track = self.job_track(caller, answered.track_id).await?;
        let Some(track) = track else {
            return Ok(JobView::of_removed(answered, JobStatus::Cancelled, Some(GONE.to_owned())));
        };
        self.removed_job(answered, track).await
    }

    /// The track of a job, even if it is deleted, if it is in the caller's scope.
    async fn job_track(&self, caller: &Caller, id: Option<TrackId>) -> Result<Option<Track>, Refusal> {
        let Some(id) = id else {
            let is_reached = caller.scope.covers_organization();
            return if is_reached { Ok(None) } else { Err(Refusal::NotFound(Resource::Job)) };
        };
        let track = self.catalog.track_even_deleted(caller.organization_id, id).await?;
        match track {
            Some(track) if caller.scope.covers_track(track.collection_id, id) => Ok(Some(track)),
            _ => Err(Refusal::NotFound(Resource::Job)),
        }
    }

    async fn removed_job(&self, job: AnsweredJob, track: Track) -> Result<JobView, Refusal> {
        let is_deleted = track.deleted_at.is_some();
        let files = match is_deleted {
            true => self.catalog.files_of_track_even_deleted(track.id).await?,
            false => self.catalog.files_of_track(track.id).await?,
        };
        let file = job.file_among(&files);
        let status = match job.ended {
            Some(status) => status,
            None if is_deleted => JobStatus::of_deleted(track.status, file),
            None => JobStatus::of_removed(track.status, file),
        };
        let reason = match (status, file) {
            (JobStatus::Failed, Some(Some(FileOutcome::Failed { reason }))) => Some(reason.clone()),
            (JobStatus::Failed, _) => track.status_reason,
            (JobStatus::Cancelled, _) => Some(GONE.to_owned()),
            _ => None,
        };
        Ok(JobView::of_removed(job, status, reason))
    }
}

impl JobView {
    fn of_pending(job: PendingJob, track_id: Option<TrackId>) -> Self {
        let (status, reason) = match job.state() {
            JobState::Failed => (JobStatus::Failed, Some(GIVEN_UP)),
            JobState::Running => (JobStatus::Running, None),
            JobState::Waiting => match job.waits_for {
                Some(outage) => (JobStatus::Waiting, Some(outage.sentence())),
                None if job.attempts > 0 => (JobStatus::Waiting, Some(TRIED_AGAIN)),
                None => (JobStatus::Queued, None),
            },
        };
        let waits = matches!(status, JobStatus::Queued | JobStatus::Waiting);
        Self {
            id: job.id,
            kind: job.kind,
            status,
            reason: reason.map(str::to_owned),
            track_id,
            attempts: Some(job.attempts),
            next_attempt_at: waits.then_some(job.run_at),
        }
    }

    fn of_removed(job: AnsweredJob, status: JobStatus, reason: Option<String>) -> Self {
        Self {
            id: job.id,
            kind: job.kind,
            status,
            reason,
            track_id: job.track_id,
            attempts: None,
            next_attempt_at: None,
        }
    }
}
