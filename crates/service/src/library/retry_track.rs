//! Retrying what failed for a track.

use tonearm_domain::{
    AuditAction, ErrorCode, FailedVariant, Job, Recipe, Track, TrackId, TrackStatus, VariantIndex,
    failed_variants, recipes_without_file,
};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView};

/// The variants that a track lacks.
#[derive(Debug, Clone)]
pub struct MissingVariants {
    /// The variants that could not be made, and why.
    pub failed: Vec<FailedVariant>,
    /// Whether [`Library::retry_track`] has something to do.
    pub may_retry: bool,
}

impl Library {
    /// The variants that a track lacks.
    pub async fn missing_variants(&self, track: &Track) -> Result<MissingVariants, Refusal> {
        let files = self.catalog.files_of_track(track.id).await?;
        let failed = failed_variants(&files);
        let may_retry = match track.status {
            _ if track.source.is_none() => false,
            // Its job was lost.
            status if status.is_processing() => !self.catalog.has_job(Job::PROCESS_TRACK, track.id).await?,
            status if status.retry().is_err() => false,
            TrackStatus::Ready => {
                let recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
                recipes_without_file(&recipes, &files).next().is_some()
            }
            _ => true,
        };
        Ok(MissingVariants { failed, may_retry })
    }

    /// The variants of a track that could not be made, and why.
    pub async fn failed_variants(&self, track: &Track) -> Result<Vec<FailedVariant>, Refusal> {
        Ok(failed_variants(&self.catalog.files_of_track(track.id).await?))
    }

    /// Processes a track again, whatever its final status, if it has a source and something is missing. Makes
    /// everything that is missing, or only the given variant. Existing files stay. A track that waits for a job that was
    /// lost gets another one.
    pub async fn retry_track(
        &self,
        caller: &Caller,
        id: TrackId,
        only: Option<&VariantIndex>,
    ) -> Result<TrackView, Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        if track.source.is_none() {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::NoSource,
                message: "the track has no source file; create a new track and upload the file",
            });
        }
        let recipes = tx.recipes_for_track(organization_id, id).await?;
        let files = tx.files_of_track(id).await?;
        let wanted = |recipe: &&Recipe| only.is_none_or(|index| *index == recipe.index);
        let missing: Vec<_> =
            recipes_without_file(&recipes, &files).filter(wanted).map(|recipe| recipe.id).collect();
        if missing.is_empty() && (track.status == TrackStatus::Ready || only.is_some()) {
            return Err(nothing_to_retry(only));
        }
        if !track.status.is_processing() || tx.has_job(Job::PROCESS_TRACK, id).await? {
            track.status = track.status.retry().map_err(|error| Refusal::Conflict {
                code: ErrorCode::TrackStatus,
                message: error.to_string(),
            })?;
        }
        track.status_reason = None;
        tx.delete_failed_files(id, &missing).await?;
        tx.update_track(&track).await?;
        let job = Job::ProcessTrack { organization_id, track_id: id };
        tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), None).await?;
        let done =
            AuditedAction { action: AuditAction::TrackRetry, subject_id: id.uuid(), title: &track.file_name };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let parents = TrackParents::of(&self.catalog, organization_id, track.collection_id).await?;
        Ok(parents.view(track))
    }
}

fn nothing_to_retry(only: Option<&VariantIndex>) -> Refusal {
    let message = match only {
        Some(index) => format!("the variant {index} of the track did not fail"),
        None => "nothing to retry: no variant of the track failed".to_owned(),
    };
    Refusal::Conflict { code: ErrorCode::NothingToRetry, message }
}
