//! Turning a source into files, and cleaning up after.

mod album_order;
mod analysis;
mod attend;
mod board;
mod empty_collection;
mod expire_upload;
mod files;
mod finish_cover;
mod forget_expired;
mod job_error;
mod limits;
mod local_source;
mod pictures;
mod plan;
mod process_track;
mod publish_manifest;
mod purge_collection;
mod purge_track;
mod queue_rendering;
mod recording;
mod remove_recipe;
mod render_track;
mod resume_collection;
mod room;
mod stop;
mod sweep_objects;
mod transcribe_track;
mod workbench;

use std::path::PathBuf;

use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::{Catalog, PurgedTitles, Transaction};
use tonearm_domain::{Ambient, ClaimedJob, Job, Retention};
use tonearm_media::{LimitTier, Media, RunScope};

use crate::Transcriptions;
use render_track::Turn;

pub use job_error::JobError;

/// Runs background work. Each use case ends by finishing its job in the transaction that records its result.
#[derive(Clone)]
pub struct Processing {
    catalog: Catalog,
    blobs: Blobs,
    media: Media,
    ambient: Ambient,
    room: room::Room,
    scratch: PathBuf,
    watched: attend::Watched,
    transcriptions: Option<Transcriptions>,
    purged_titles: PurgedTitles,
    retention: Retention,
}

/// One run of a job.
#[derive(Debug, Clone)]
pub struct JobRun {
    /// The job and the lease it is held under.
    pub claimed: ClaimedJob,
    /// Cancelled when the lease is lost or the process shuts down; whatever runs is then killed.
    pub cancel: CancellationToken,
}

impl JobRun {
    /// Under what its encoders run.
    fn scope(&self, tier: LimitTier) -> RunScope {
        let organization_id = self.claimed.job.turn_of();
        RunScope { cancel: self.cancel.clone(), tier, organization_id }
    }
}

impl Processing {
    /// `scratch` is a folder of its own for files in the making; it may be emptied at every start.
    pub fn new(catalog: Catalog, blobs: Blobs, media: Media, ambient: Ambient, scratch: PathBuf) -> Self {
        let watched = attend::Watched::follow(&catalog);
        Self {
            catalog,
            blobs,
            media,
            ambient,
            room: room::Room::new(scratch.clone()),
            scratch,
            watched,
            transcriptions: None,
            purged_titles: PurgedTitles::default(),
            retention: Retention::default(),
        }
    }

    /// The same with providers to have words written down by.
    pub fn with_transcriptions(self, transcriptions: Transcriptions) -> Self {
        Self { transcriptions: Some(transcriptions), ..self }
    }

    /// The same with another rule for the titles of tracks that are purged.
    pub fn with_purged_titles(self, purged_titles: PurgedTitles) -> Self {
        Self { purged_titles, ..self }
    }

    /// The same with other times after which rows are removed.
    pub fn with_retention(self, retention: Retention) -> Self {
        Self { retention, ..self }
    }

    /// The catalog, for claiming jobs and keeping their leases.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Time and randomness.
    pub fn ambient(&self) -> &Ambient {
        &self.ambient
    }

    /// Runs a job to its end.
    pub async fn run(&self, run: &JobRun) -> Result<(), JobError> {
        match run.claimed.job {
            Job::ProcessTrack { organization_id, track_id } => {
                Box::pin(self.process_track(run, organization_id, track_id)).await
            }
            Job::RenderExisting { organization_id, variant_id }
            | Job::QueueRendering { organization_id, variant_id } => {
                self.queue_rendering(run, organization_id, variant_id).await
            }
            Job::RenderTrack { organization_id, track_id, variant_id, run: counted } => {
                let turn = Turn { organization_id, track_id, variant_id, run: counted };
                Box::pin(self.render_track(run, turn)).await
            }
            Job::ExpireUpload { organization_id, track_id } => {
                self.expire_upload(run, organization_id, track_id).await
            }
            Job::TranscribeTrack { organization_id, track_id } => {
                self.transcribe_track(run, organization_id, track_id).await
            }
            Job::FinishCover { organization_id, owner } => {
                self.finish_cover(run, organization_id, owner).await
            }
            Job::PublishManifest { organization_id, track_id } => {
                self.publish_manifest(run, organization_id, track_id).await
            }
            Job::PublishManifests {} => self.publish_manifests(run).await,
            Job::PurgeTrack { organization_id, track_id } => {
                self.purge_track(run, organization_id, track_id).await
            }
            Job::EmptyCollection { organization_id, collection_id } => {
                self.empty_collection(run, organization_id, collection_id).await
            }
            Job::ResumeCollection { organization_id, collection_id, cursor } => {
                self.resume_collection(run, organization_id, collection_id, cursor).await
            }
            Job::RemoveRecipe { organization_id, variant_id } => {
                self.remove_recipe(run, organization_id, variant_id).await
            }
            Job::PurgeCollection { organization_id, collection_id } => {
                self.purge_collection(run, organization_id, collection_id).await
            }
            Job::SweepObjects {} => self.sweep_objects(run).await,
            Job::ForgetExpired {} => self.forget_expired(run).await,
        }
    }

    /// Ends a job that will not be tried again, leaving nothing in waiting.
    pub async fn give_up(&self, claimed: &ClaimedJob, error: &str) -> Result<(), JobError> {
        match claimed.job {
            Job::ProcessTrack { organization_id, track_id } => {
                self.give_up_track(claimed, organization_id, track_id, error).await
            }
            Job::TranscribeTrack { organization_id, track_id } => {
                self.give_up_transcription(claimed, organization_id, track_id, error).await
            }
            Job::RenderTrack { organization_id, track_id, variant_id, run } => {
                let turn = Turn { organization_id, track_id, variant_id, run };
                self.give_up_turn(claimed, turn, error).await
            }
            _ => {
                let tx = self.catalog.begin().await?;
                if !tx.give_up_job(claimed, self.ambient.now(), error).await? {
                    return Err(JobError::LeaseLost);
                }
                tx.commit().await?;
                Ok(())
            }
        }
    }

    /// Ends a job that has nothing (left) to do.
    async fn finish(&self, claimed: &ClaimedJob) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        finish(claimed, tx).await
    }
}

/// Commits what a run did together with the end of its job; nothing where the lease went to another worker.
async fn finish(claimed: &ClaimedJob, tx: Transaction) -> Result<(), JobError> {
    if !tx.finish_job(claimed).await? {
        return Err(JobError::LeaseLost);
    }
    tx.commit().await?;
    Ok(())
}
