//! The moves of a track's status at the end of processing, each in one transaction with its job.

use tonearm_domain::{
    ClaimedJob, FileOutcome, OrganizationId, Outcome, Recipe, RecipeKind, Track, TrackFile, TrackId,
    TrackStatus,
};
use tonearm_media::MediaError;

use super::files::MadeCover;
use super::process_track::Workbench;
use super::{JobError, JobRun, Processing, finish};
use crate::webhooks::events;

impl Processing {
    /// Records what probing and the pass over the sound found.
    pub(super) async fn record_analysis(&self, bench: &Workbench) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        let Some(mut track) = tx.track(bench.track.organization_id, bench.track.id).await? else {
            return Err(JobError::Cancelled);
        };
        track.duration = bench.probe.duration;
        track.info = bench.probe.info.clone();
        tx.update_track(&track).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Puts a track that hit its limits on its second way; false where it is there already.
    pub(super) async fn fall_back(&self, bench: &Workbench) -> Result<bool, JobError> {
        let tx = self.catalog.begin().await?;
        let Some(mut track) = tx.track(bench.track.organization_id, bench.track.id).await? else {
            return Err(JobError::Cancelled);
        };
        let Ok(status) = track.status.fall_back() else {
            return Ok(false);
        };
        track.status = status;
        tx.update_track(&track).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Settles the status by what was made and ends the job. A recipe added in the meantime keeps the track in
    /// processing: its own job does the rest.
    pub(super) async fn settle_track(
        &self,
        run: &JobRun,
        track: &Track,
        made: Option<MadeCover>,
    ) -> Result<(), JobError> {
        let recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(track.organization_id, track.id).await? {
            let files = tx.files_of_track(track.id).await?;
            if let Some(MadeCover { cover, theme }) = made
                && track.cover.is_none_or(|current| current.origin <= cover.origin)
            {
                (track.cover, track.theme) = (Some(cover), theme);
            }
            let previous = track.status;
            if track.status.is_processing() && all_tried(&recipes, &files) {
                let (outcome, reason) = judge(&files);
                track.status = track.status.settle(outcome).map_err(JobError::retry)?;
                track.status_reason = reason;
            }
            tx.update_track(&track).await?;
            events::track_settled(&tx, &self.ambient, &track, previous).await?;
        }
        finish(&run.claimed, tx).await
    }

    /// What an error about the source as a whole means: the bytes are at fault, or the run is.
    pub(super) async fn refuse_source(
        &self,
        run: &JobRun,
        track: &Track,
        error: MediaError,
    ) -> Result<(), JobError> {
        match error {
            MediaError::NotAudio(reason) | MediaError::Failed(reason) | MediaError::LimitHit(reason) => {
                self.reject(run, track, &reason).await
            }
            MediaError::Cancelled => Err(JobError::Cancelled),
            other => Err(JobError::retry(other)),
        }
    }

    /// Ends a track whose bytes are no audio.
    pub(super) async fn reject(&self, run: &JobRun, track: &Track, reason: &str) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(track.organization_id, track.id).await?
            && let Ok(status) = track.status.reject_source()
        {
            let previous = track.status;
            track.status = status;
            track.status_reason = Some(reason.to_owned());
            tx.update_track(&track).await?;
            events::track_settled(&tx, &self.ambient, &track, previous).await?;
        }
        finish(&run.claimed, tx).await
    }

    /// Ends a track whose processing was tried often enough: what is playable stays playable.
    pub(super) async fn give_up_track(
        &self,
        claimed: &ClaimedJob,
        organization_id: OrganizationId,
        track_id: TrackId,
        error: &str,
    ) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(organization_id, track_id).await?
            && track.status.is_processing()
        {
            let files = tx.files_of_track(track_id).await?;
            let previous = track.status;
            let outcome = Outcome::judge(1, playable(&files));
            track.status = track.status.settle(outcome).unwrap_or(TrackStatus::Error);
            track.status_reason =
                Some(format!("processing was given up after {} attempts: {error}", claimed.attempt));
            tx.update_track(&track).await?;
            events::track_settled(&tx, &self.ambient, &track, previous).await?;
        }
        if !tx.give_up_job(claimed, self.ambient.now(), error).await? {
            return Err(JobError::LeaseLost);
        }
        tx.commit().await?;
        Ok(())
    }
}

fn all_tried(recipes: &[Recipe], files: &[TrackFile]) -> bool {
    let tried = |recipe: &Recipe| files.iter().any(|file| file.recipe.id == recipe.id);
    recipes.iter().all(|recipe| matches!(recipe.kind, RecipeKind::Cover {}) || tried(recipe))
}

fn playable(files: &[TrackFile]) -> usize {
    files.iter().filter(|file| file.is_made() && file.recipe.kind.recipe_type().is_playable()).count()
}

/// The outcome, with the first failure's reason.
fn judge(files: &[TrackFile]) -> (Outcome, Option<String>) {
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| match &file.outcome {
            FileOutcome::Failed { reason } => Some(format!("{}: {reason}", file.recipe.index)),
            FileOutcome::Made { .. } => None,
        })
        .collect();
    (Outcome::judge(failures.len(), playable(files)), failures.into_iter().next())
}
