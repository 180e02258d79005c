//! Background jobs: rendering files from sources, and maintenance. [`Processing::run`] runs a claimed job of any kind.

mod disk_reservations;
mod import_source;
mod importing;
mod job_error;
mod making;
pub(crate) mod manifests;
mod runner;
mod running_tracks;
mod upkeep;

use tonearm_catalog::Transaction;
use tonearm_domain::{Ambient, ClaimedJob, Job, JobClass, JobId};

use making::{
    DerivedTracks, Recording, ReplacementTurn, TrackRendering, fail_replacement, failed_transcription,
};

use crate::imports;
use crate::library::renderings;

pub use job_error::{JobError, ThirdPartyFailure};
pub use runner::{EncodeJobs, JobRun, Processing};

impl Processing {
    /// Runs a job to its end.
    pub async fn run(&self, run: &JobRun) -> Result<(), JobError> {
        if let Some(stand_in) = &self.encoding
            && run.claimed.job.queue().class() == JobClass::Encode
        {
            return stand_in.run(run).await;
        }
        match run.claimed.job {
            Job::ProcessTrack { organization_id, track_id } => {
                Box::pin(self.process_track(run, organization_id, track_id)).await
            }
            Job::RenderExisting { organization_id, variant_id }
            | Job::QueueRendering { organization_id, variant_id } => {
                self.queue_rendering(run, organization_id, variant_id).await
            }
            Job::RenderTrack { organization_id, track_id, variant_id, run: counted } => {
                let turn = TrackRendering { organization_id, track_id, variant_id, run: counted };
                Box::pin(self.render_track(run, turn)).await
            }
            Job::ExpireUpload { organization_id, track_id } => {
                self.expire_upload(run, organization_id, track_id).await
            }
            Job::ImportSource { organization_id, track_id } => {
                Box::pin(self.import_source(run, organization_id, track_id)).await
            }
            Job::ReplaceSource { organization_id, track_id, replacement_id } => {
                let turn = ReplacementTurn { organization_id, track_id, replacement_id };
                Box::pin(self.replace_source(run, turn)).await
            }
            Job::TranscribeTrack { organization_id, track_id } => {
                self.transcribe_track(run, organization_id, track_id).await
            }
            Job::FinishCover { organization_id, owner } => {
                Box::pin(self.finish_cover(run, organization_id, owner)).await
            }
            Job::DeriveAgain { organization_id, collection_id, ref things, cursor } => {
                let turn = DerivedTracks { organization_id, collection_id, things, cursor };
                Box::pin(self.derive_again(run, turn)).await
            }
            Job::DrawPlaceholder { organization_id, track_id } => {
                self.draw_lost_placeholder(run, organization_id, track_id).await
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
                Box::pin(self.remove_recipe(run, organization_id, variant_id)).await
            }
            Job::PurgeCollection { organization_id, collection_id } => {
                self.purge_collection(run, organization_id, collection_id).await
            }
            Job::SweepObjects {} => self.sweep_objects(run).await,
            Job::ForgetExpired {} => self.forget_expired(run).await,
        }
    }

    /// Ends a job that will not be retried, so that nothing stays in a waiting state.
    pub async fn give_up(&self, claimed: &ClaimedJob, error: &str) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        if !tx.check_lease(claimed).await? {
            return Err(JobError::LeaseLost);
        }
        let end = JobEnd::GivenUp { attempts: claimed.attempt, error };
        let tx = end_work(tx, &self.ambient, (claimed.id, &claimed.job), end).await?;
        if !tx.give_up_job(claimed, self.ambient.now(), error).await? {
            return Err(JobError::LeaseLost);
        }
        tx.commit().await?;
        tonearm_telemetry::gave_up_job(claimed.job.kind());
        Ok(())
    }
}

/// Why a job ends without having done its work.
#[derive(Clone, Copy)]
pub(crate) enum JobEnd<'a> {
    /// It has used up its attempts.
    GivenUp { attempts: u32, error: &'a str },
    /// A person dropped it.
    Dropped,
}

impl JobEnd<'_> {
    /// The reason after a colon.
    fn reason(self) -> String {
        match self {
            Self::GivenUp { attempts, error } => format!("given up after {attempts} attempts: {error}"),
            Self::Dropped => "it was cancelled".to_owned(),
        }
    }

    /// The reason as a sentence about a track.
    fn sentence(self) -> String {
        match self {
            Self::GivenUp { attempts, error } => {
                format!("Processing was given up after {attempts} attempts: {error}")
            }
            Self::Dropped => "Processing was cancelled.".to_owned(),
        }
    }
}

/// Ends whatever waits for a job, in the transaction that ends the job without its work. The transaction is returned to
/// be committed.
pub(crate) async fn end_work(
    tx: Transaction,
    ambient: &Ambient,
    (id, job): (JobId, &Job),
    end: JobEnd<'_>,
) -> Result<Transaction, JobError> {
    match *job {
        Job::ProcessTrack { organization_id, track_id } => {
            return match Recording::of(tx, ambient, organization_id, track_id).await? {
                Ok(recording) => recording.end(&end.sentence()).await,
                Err(tx) => Ok(tx),
            };
        }
        Job::TranscribeTrack { organization_id, track_id } => {
            let is_there = tx.track(organization_id, track_id).await?.is_some();
            if is_there && tx.awaits_transcription(track_id, id).await? {
                let failed = failed_transcription(ambient, organization_id, track_id, end.reason());
                tx.put_transcription(&failed).await?;
            }
        }
        Job::ReplaceSource { organization_id, track_id, replacement_id } => {
            let turn = ReplacementTurn { organization_id, track_id, replacement_id };
            fail_replacement(&tx, turn, &end.sentence(), ambient).await?;
        }
        Job::ImportSource { organization_id, track_id } => {
            imports::fail(&tx, ambient, organization_id, track_id, &end.reason()).await?;
        }
        Job::RenderTrack { organization_id, variant_id, run, .. } => {
            renderings::count_track(&tx, ambient, (organization_id, variant_id), run, false).await?;
        }
        Job::QueueRendering { organization_id, variant_id }
        | Job::RenderExisting { organization_id, variant_id } => {
            renderings::stop(&tx, ambient, (organization_id, variant_id)).await?;
        }
        _ => {}
    }
    Ok(tx)
}
