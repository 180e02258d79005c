//! The moves of a track's status at the end of processing, each in one transaction with its job.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    ClaimedJob, CoverOrigin, CoverOwner, FileOutcome, OrganizationId, Outcome, Recipe, Track, TrackFile,
    TrackId, TrackStatus,
};

use super::analysis::Analysed;
use super::files::MadeCover;
use super::process_track::Unrecorded;
use super::workbench::Workbench;
use super::{JobError, JobRun, Processing, finish};
use crate::webhooks::events;
use crate::{covers, transcription};

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

    /// Puts a cover to use as soon as it is there.
    pub(super) async fn record_cover(&self, track: &Track, made: MadeCover) -> Result<(), JobError> {
        let tx = self.catalog.begin().await?;
        let Some(mut track) = tx.track(track.organization_id, track.id).await? else {
            return Err(JobError::Cancelled);
        };
        self.put_cover(&tx, &mut track, made).await?;
        tx.update_track(&track).await?;
        tx.commit().await?;
        Ok(())
    }

    /// Notes a cover where no better one came meanwhile, and a drawn one in any case.
    async fn put_cover(
        &self,
        tx: &Transaction,
        track: &mut Track,
        made: MadeCover,
    ) -> Result<(), CatalogError> {
        let MadeCover { cover, theme } = made;
        if track.cover.is_none_or(|current| current.origin <= cover.origin) {
            (track.cover, track.theme) = (Some(cover), theme);
        }
        if cover.origin == CoverOrigin::Generated {
            track.placeholder = Some(cover.version);
        }
        let owner = CoverOwner::Track(track.id);
        covers::queue_rest(tx, &self.ambient, track.organization_id, owner).await
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
    /// the meantime keeps the track in processing: its own job does the rest. `before` is the track as it was when the
    /// run began.
    pub(super) async fn settle_track(
        &self,
        run: &JobRun,
        before: &Track,
        unrecorded: Unrecorded,
    ) -> Result<(), JobError> {
        let organization_id = before.organization_id;
        let recipes = self.catalog.recipes_for_track(organization_id, before.id).await?;
        let tx = self.catalog.begin().await?;
        if let Some(mut track) = tx.track(organization_id, before.id).await? {
            for (recipe, outcome) in unrecorded.files {
                self.put_file(&tx, &track, recipe, outcome).await?;
            }
            let files = tx.files_of_track(track.id).await?;
            if let Some(analysed) = &unrecorded.analysed {
                note_analysis(&mut track, analysed);
            }
            if let Some(made) = unrecorded.cover {
                self.put_cover(&tx, &mut track, made).await?;
            } else if track.cover != before.cover && is_uploaded(&track) {
                // The files cut from the cover may show the one before.
                covers::queue_rest(&tx, &self.ambient, organization_id, CoverOwner::Track(track.id)).await?;
            }
            let previous = track.status;
            if track.status.is_processing() && all_tried(&recipes, &files) {
                let (outcome, reason) = judge(&track, &files);
                track.status = track.status.settle(outcome).map_err(JobError::internal)?;
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

fn is_uploaded(track: &Track) -> bool {
    track.cover.is_some_and(|cover| cover.origin == CoverOrigin::Uploaded)
}

fn all_tried(recipes: &[Recipe], files: &[TrackFile]) -> bool {
    let tried = |recipe: &Recipe| files.iter().any(|file| file.recipe.id == recipe.id);
    recipes.iter().all(tried)
}

fn playable(files: &[TrackFile]) -> usize {
    files.iter().filter(|file| file.is_made() && file.recipe.kind.recipe_type().is_playable()).count()
}

/// The outcome, with the first failure's reason. What is required of a track are its own recipes and those that were
/// there before it: one that is added later and fails takes nothing from tracks that were complete without it.
pub(super) fn judge(track: &Track, files: &[TrackFile]) -> (Outcome, Option<String>) {
    let is_required = |recipe: &Recipe| recipe.track_id.is_some() || recipe.created_at <= track.created_at;
    let failures: Vec<String> = files
        .iter()
        .filter(|file| is_required(&file.recipe))
        .filter_map(|file| match &file.outcome {
            FileOutcome::Failed { reason } => Some(format!("{}: {reason}", file.recipe.index)),
            FileOutcome::Made { .. } => None,
        })
        .collect();
    (Outcome::judge(failures.len(), playable(files)), failures.into_iter().next())
}
