//! Background jobs, for operators: jobs that wait, run or were given up.

use tonearm_catalog::{Catalog, CatalogError, Gathered, JobFilter, JobState, PendingJob, Transaction};
use tonearm_domain::{Ambient, AuditAction, ErrorCode, Job, JobId, LimitOffset, Origin};

use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::Library;
use crate::processing::{JobEnd, end_work};
use crate::refusal::Refusal;
use crate::status::FAILED_FOR_SECONDS;
use crate::transcription::Transcriptions;

/// The maximum number of jobs that one call retries. Each takes a transaction.
const MOST_RETRIED: usize = 100;

/// The result of retrying all jobs that failed for the same reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetriedJobs {
    /// Jobs that were retried and are due now.
    pub retried: usize,
    /// Jobs beyond the limit of one call, and jobs that cannot be retried.
    pub left: usize,
}

/// Lists, retries and drops jobs of all organizations.
#[derive(Clone)]
pub struct Jobs {
    catalog: Catalog,
    ambient: Ambient,
    library: Library,
    transcriptions: Transcriptions,
}

impl Jobs {
    /// Creates the job use cases. `library` and `transcriptions` queue the jobs of tracks again.
    pub const fn new(
        catalog: Catalog,
        ambient: Ambient,
        library: Library,
        transcriptions: Transcriptions,
    ) -> Self {
        Self { catalog, ambient, library, transcriptions }
    }

    /// One page of the jobs, ordered by the time at which they are due, and the total number of jobs.
    pub async fn list(
        &self,
        filter: JobFilter,
        page: LimitOffset,
    ) -> Result<(u64, Vec<PendingJob>), Refusal> {
        Ok(self.catalog.jobs(filter, page).await?)
    }

    /// Makes a job due as if it had never been tried. If the job was given up together with its track, a new job for
    /// the track replaces it. Returns `false` if there is no such job.
    pub async fn retry(&self, origin: Origin, id: JobId) -> Result<bool, Refusal> {
        // The new job and the end of the old one share a transaction.
        let (retried, gathered) = self.catalog.as_one(self.retry_in_steps(origin, id)).await;
        let is_retried = retried?;
        match gathered {
            Gathered::Open(tx) => tx.commit().await?,
            Gathered::Nothing => {}
            Gathered::Lost => return Err(Refusal::Internal("the retry lost its transaction".into())),
        }
        Ok(is_retried)
    }

    /// Retries the jobs that were given up in the last day for the same reason as this one, up to a limit. If none of
    /// them can be retried, it returns the error of the first.
    pub async fn retry_alike(&self, origin: Origin, id: JobId) -> Result<RetriedJobs, Refusal> {
        let since = self.ambient.now().plus_seconds(-FAILED_FOR_SECONDS);
        let alike = self.catalog.jobs_failed_alike(id, since).await?;
        let mut done = RetriedJobs { retried: 0, left: alike.len().saturating_sub(MOST_RETRIED) };
        let mut refused = None;
        for id in alike.into_iter().take(MOST_RETRIED) {
            match self.retry(origin, id).await {
                Ok(true) => done.retried += 1,
                // It has been retried or dropped meanwhile.
                Ok(false) => {}
                Err(error @ (Refusal::Unavailable(_) | Refusal::Internal(_))) => return Err(error),
                Err(refusal) => {
                    done.left += 1;
                    refused.get_or_insert(refusal);
                }
            }
        }
        match refused {
            Some(refusal) if done.retried == 0 => Err(refusal),
            _ => Ok(done),
        }
    }

    async fn retry_in_steps(&self, origin: Origin, id: JobId) -> Result<bool, Refusal> {
        let Some(job) = self.catalog.job(id).await? else { return Ok(false) };
        if let Some(Job::ImportSource { track_id, .. }) = job.job
            && self.catalog.import(track_id).await?.is_none()
        {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::ImportOver,
                message: "the import has ended and its URL was removed; create a new track, or upload the file",
            });
        }
        let is_for_subject = job.state() == JobState::Failed && self.has_ended_with_its_subject(&job).await?;
        if is_for_subject {
            self.retry_subject(&job).await?;
        }
        let Some((tx, job)) = self.take(id).await? else { return Ok(false) };
        match is_for_subject {
            true => tx.delete_job(id).await?,
            false => tx.restart_job(id, self.ambient.now()).await?,
        }
        self.record(&tx, origin, AuditAction::JobRetry, &job).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Removes a job that no worker runs, without doing its work, and ends what waits for it. Refused if nothing else
    /// would do its work. Returns `false` if there is no such job.
    pub async fn drop_job(&self, origin: Origin, id: JobId) -> Result<bool, Refusal> {
        let Some((mut tx, job)) = self.take(id).await? else { return Ok(false) };
        if job.job.as_ref().is_some_and(|work| !work.may_be_dropped()) {
            let message =
                "this job cannot be dropped, since nothing else does its work; mend what stops it and retry it"
                    .to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::JobNeeded, message });
        }
        tx.delete_job(id).await?;
        self.record(&tx, origin, AuditAction::JobDrop, &job).await?;
        // When a job is given up, what waits for it ends.
        if let Some(work) = job.job.as_ref().filter(|_| job.state() != JobState::Failed)
            && !does_another(&tx, work).await?
        {
            tx = end_work(tx, &self.ambient, (id, work), JobEnd::Dropped).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Locks a job that no worker runs, if there is such a job.
    async fn take(&self, id: JobId) -> Result<Option<(Transaction, PendingJob)>, Refusal> {
        let tx = self.catalog.begin().await?;
        let Some(job) = tx.job_to_change(id).await? else { return Ok(None) };
        if job.state() == JobState::Running {
            let message = "a worker is running this job; try again when it has finished".to_owned();
            return Err(Refusal::Conflict { code: ErrorCode::JobRunning, message });
        }
        Ok(Some((tx, job)))
    }

    async fn record(
        &self,
        tx: &Transaction,
        origin: Origin,
        action: AuditAction,
        job: &PendingJob,
    ) -> Result<(), CatalogError> {
        let organization_id = job.job.as_ref().and_then(Job::organization_id);
        let done = AuditedAction { action, subject_id: job.id.uuid(), title: &job.kind };
        audit::record_of(tx, &self.ambient, organization_id, origin, done).await
    }

    /// Whether the job's track already records that the job was given up, so that running the job again would do
    /// nothing.
    async fn has_ended_with_its_subject(&self, job: &PendingJob) -> Result<bool, Refusal> {
        match job.job {
            Some(Job::ProcessTrack { organization_id, track_id }) => {
                match self.catalog.track(organization_id, track_id).await? {
                    Some(track) => {
                        Ok(track.status.is_final() && self.library.missing_variants(&track).await?.may_retry)
                    }
                    None => Ok(false),
                }
            }
            Some(Job::TranscribeTrack { organization_id, track_id }) => {
                Ok(self.catalog.track(organization_id, track_id).await?.is_some())
            }
            // Its rendering has counted it already and may have ended.
            Some(Job::RenderTrack { .. }) => Ok(true),
            _ => Ok(false),
        }
    }

    async fn retry_subject(&self, job: &PendingJob) -> Result<(), Refusal> {
        match job.job {
            Some(Job::ProcessTrack { organization_id, track_id }) => {
                self.library.retry_track(&Caller::owner(organization_id), track_id, None).await?;
            }
            Some(Job::TranscribeTrack { organization_id, track_id }) => {
                self.transcriptions.retry(&Caller::owner(organization_id), track_id, false).await?;
            }
            Some(Job::RenderTrack { organization_id, track_id, variant_id, .. }) => {
                let job = Job::RenderTrack { organization_id, track_id, variant_id, run: None };
                let tx = self.catalog.begin().await?;
                tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), None).await?;
                tx.commit().await?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Whether another job does the same work.
async fn does_another(tx: &Transaction, job: &Job) -> Result<bool, CatalogError> {
    match *job {
        Job::ProcessTrack { track_id, .. } => tx.has_job(job.kind(), track_id).await,
        _ => Ok(false),
    }
}
