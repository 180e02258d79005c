//! What every job works with, and how jobs end.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, PurgedTitles, Transaction};
use tonearm_domain::{Ambient, ClaimedJob, ObjectKey, Retention};
use tonearm_media::{LimitTier, Media, RunScope};

use super::disk_reservations::DiskReservations;
use super::importing::Importing;
use super::job_error::JobError;
use super::running_tracks::RunningTracks;
use crate::imports::Imports;
use crate::removal::remove_unnamed;
use crate::status::RunCounter;
use crate::transcription::Transcriptions;
use crate::uploads::Uploads;

/// Runs background work. Each use case ends by finishing its job in the transaction that records its result.
#[derive(Clone)]
pub struct Processing {
    pub(super) catalog: Catalog,
    pub(super) blobs: Blobs,
    pub(super) media: Media,
    pub(super) ambient: Ambient,
    pub(super) room: DiskReservations,
    pub(super) longest_hours: u32,
    pub(super) scratch: PathBuf,
    pub(super) watched: RunningTracks,
    pub(super) transcriptions: Option<Transcriptions>,
    pub(super) importing: Option<Importing>,
    pub(super) purged_titles: PurgedTitles,
    pub(super) retention: Retention,
    runs: RunCounter,
    pub(super) encoding: Option<Arc<dyn EncodeJobs>>,
}

/// Replaces the use cases of class [`JobClass::Encode`](tonearm_domain::JobClass): for simulations, in which ffmpeg
/// would take real time.
#[async_trait]
pub trait EncodeJobs: Send + Sync {
    /// Does a job, and finishes it while its lease is held.
    async fn run(&self, run: &JobRun) -> Result<(), JobError>;
}

/// One run of a job.
#[derive(Debug, Clone)]
pub struct JobRun {
    /// The job and the lease it is held under.
    pub claimed: ClaimedJob,
    /// Cancelled when the lease is lost or the process shuts down. Everything that the run started is then killed.
    pub cancel: CancellationToken,
}

impl JobRun {
    /// The scope in which its encoders run.
    pub(super) fn scope(&self, tier: LimitTier) -> RunScope {
        let organization_id = self.claimed.job.turn_of();
        RunScope { cancel: self.cancel.clone(), tier, organization_id }
    }
}

impl Processing {
    /// `scratch` is a folder used only for temporary files. It may be emptied at every start.
    pub fn new(catalog: Catalog, blobs: Blobs, media: Media, ambient: Ambient, scratch: PathBuf) -> Self {
        let watched = RunningTracks::follow(&catalog);
        Self {
            catalog,
            blobs,
            media,
            ambient,
            room: DiskReservations::new(scratch.clone()),
            longest_hours: 0,
            scratch,
            watched,
            transcriptions: None,
            importing: None,
            purged_titles: PurgedTitles::default(),
            retention: Retention::default(),
            runs: RunCounter::default(),
            encoding: None,
        }
    }

    /// The same, with providers for transcriptions.
    pub fn with_transcriptions(self, transcriptions: Transcriptions) -> Self {
        Self { transcriptions: Some(transcriptions), ..self }
    }

    /// The same, importing sources into the store through `uploads`.
    pub fn with_imports(self, imports: Imports, uploads: Uploads) -> Self {
        Self { importing: Some(Importing { imports, uploads }), ..self }
    }

    /// The same, with another rule for the titles of purged tracks.
    pub fn with_purged_titles(self, purged_titles: PurgedTitles) -> Self {
        Self { purged_titles, ..self }
    }

    /// The same, with other retention periods for rows.
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// The same, refusing sound that lasts more than this many hours; 0 for no limit.
    pub fn with_longest_hours(self, longest_hours: u32) -> Self {
        Self { longest_hours, ..self }
    }

    /// The same, counting finished runs in a shared counter.
    pub fn counting_runs(self, runs: RunCounter) -> Self {
        Self { runs, ..self }
    }

    /// The counter of finished runs.
    pub fn runs(&self) -> &RunCounter {
        &self.runs
    }

    /// The same, with a replacement for jobs that encode.
    pub fn with_stand_in(self, encoding: Arc<dyn EncodeJobs>) -> Self {
        Self { encoding: Some(encoding), ..self }
    }

    /// The catalog, for claiming jobs and keeping their leases.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Time and randomness.
    pub fn ambient(&self) -> &Ambient {
        &self.ambient
    }

    /// Begins one of many transactions of a run.
    pub(super) async fn begin_batch(&self, run: &JobRun) -> Result<Transaction, JobError> {
        if run.cancel.is_cancelled() {
            return Err(JobError::Cancelled);
        }
        let tx = self.catalog.begin().await?;
        if !tx.check_lease(&run.claimed).await? {
            return Err(JobError::LeaseLost);
        }
        Ok(tx)
    }

    /// Removes those of these objects to which no row refers: see [`remove_unnamed`].
    pub(super) async fn remove_unnamed(&self, keys: Vec<ObjectKey>) -> Result<usize, JobError> {
        remove_unnamed(&self.catalog, &self.blobs, keys).await
    }

    /// Ends a job that has nothing (left) to do.
    pub(super) async fn finish(&self, claimed: &ClaimedJob) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        finish(claimed, tx).await
    }
}

/// Commits the results of a run together with the end of its job. Commits nothing if the lease passed to another
/// worker.
pub(super) async fn finish(claimed: &ClaimedJob, tx: Transaction) -> Result<(), JobError> {
    if !tx.finish_job(claimed).await? {
        return Err(JobError::LeaseLost);
    }
    tx.commit().await?;
    Ok(())
}
