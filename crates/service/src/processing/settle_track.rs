//! The moves of a track's status at the end of processing, each in one transaction with its job.

use tonearm_domain::{
    ClaimedJob, CoverOrigin, FileOutcome, OrganizationId, Outcome, Recipe, Track, TrackFile, TrackId,
    TrackStatus,
};

use super::analysis::Analysed;
use super::files::MadeCover;
use super::process_track::Unrecorded;
use super::workbench::Workbench;
use super::{JobError, JobRun, Processing, finish};
use crate::transcription;
use crate::webhooks::events;

impl Processing {
    /// Records what probing and measuring found.
    pub(super) async fn record_analysis(&self, track: &Track, analysed: &Analysed) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        let Some(mut track) = tx.track(track.organization_id, track.id).await? else {
            return Err(JobError::Cancelled);
        };
        note_analysis(&mut track, analysed);
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

    /// Records what is left to be recorded, settles the status by what was made and ends the job. A recipe added in
    /// the meantime keeps the track in processing: its own job does the rest.
    pub(super) async fn settle_track(
        &self,
        run: &JobRun,
        track: &Track,
        unrecorded: Unrecorded,
    ) -> Result<(), JobError> {
        let recipes = self.catalog.recipes_for_track(track.organization_id, track.id).await?;
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(track.organization_id, track.id).await? {
            for (recipe, outcome) in unrecorded.files {
                self.put_file(&tx, &track, recipe, outcome).await?;
            }
            let files = tx.files_of_track(track.id).await?;
            if let Some(analysed) = &unrecorded.analysed {
                note_analysis(&mut track, analysed);
            }
            let made = unrecorded.cover;
            if let Some(MadeCover { cover, theme }) = made.clone()
                && track.cover.is_none_or(|current| current.origin <= cover.origin)
            {
                (track.cover, track.theme) = (Some(cover), theme);
            }
            if let Some(MadeCover { cover, .. }) = made
                && cover.origin == CoverOrigin::Generated
            {
                track.placeholder = Some(cover.version);
            }
            let previous = track.status;
            if track.status.is_processing() && all_tried(&recipes, &files) {
                let (outcome, reason) = judge(&files);
                track.status = track.status.settle(outcome).map_err(JobError::retry)?;
                track.status_reason = reason;
                tx.delete_track_progress(track.id).await?;
            }
            tx.update_track(&track).await?;
            events::track_settled(&tx, &self.ambient, &track, previous).await?;
            transcription::queue_if_wanted(&tx, &self.ambient, &track).await?;
        }
        finish(&run.claimed, tx).await
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

fn note_analysis(track: &mut Track, analysed: &Analysed) {
    track.duration = analysed.probe.duration;
    track.info = analysed.probe.info.clone();
}

fn all_tried(recipes: &[Recipe], files: &[TrackFile]) -> bool {
    let tried = |recipe: &Recipe| files.iter().any(|file| file.recipe.id == recipe.id);
    recipes.iter().all(tried)
}

fn playable(files: &[TrackFile]) -> usize {
    files.iter().filter(|file| file.is_made() && file.recipe.kind.recipe_type().is_playable()).count()
}

/// The outcome, with the first failure's reason.
pub(super) fn judge(files: &[TrackFile]) -> (Outcome, Option<String>) {
    let failures: Vec<String> = files
        .iter()
        .filter_map(|file| match &file.outcome {
            FileOutcome::Failed { reason } => Some(format!("{}: {reason}", file.recipe.index)),
            FileOutcome::Made { .. } => None,
        })
        .collect();
    (Outcome::judge(failures.len(), playable(files)), failures.into_iter().next())
}
