//! Rendering a recipe for one track that existed before it.

use tonearm_domain::{
    ClaimedJob, Colour, Derived, FileOutcome, OrganizationId, Recipe, Source, Timestamp, Track, TrackFile,
    TrackId, VariantId,
};
use tonearm_media::LimitTier;

use super::file_progress::FileProgress;
use super::limits::Limits;
use super::process_track::Pass;
use super::recording::Unrecorded;
use super::stop::Stop;
use crate::library::renderings;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};
use crate::track_view::TrackParents;

/// One track of a rendering.
#[derive(Clone, Copy)]
pub(in crate::processing) struct TrackRendering {
    pub(in crate::processing) organization_id: OrganizationId,
    pub(in crate::processing) track_id: TrackId,
    pub(in crate::processing) variant_id: VariantId,
    /// The start of the rendering that counts it. None if it was already counted.
    pub(in crate::processing) run: Option<Timestamp>,
}

impl Processing {
    /// Renders a recipe for a track that lacks its file or has it with other settings. The track stays playable
    /// throughout. One transaction records the result, counts the track and ends the job.
    pub(in crate::processing) async fn render_track(
        &self,
        run: &JobRun,
        turn: TrackRendering,
    ) -> Result<(), JobError> {
        // Another pass happens only if the recipe was changed during the previous one.
        while let Pass::Again = Box::pin(self.render_once(run, turn)).await? {}
        Ok(())
    }

    async fn render_once(&self, run: &JobRun, turn: TrackRendering) -> Result<Pass, JobError> {
        let TrackRendering { organization_id, track_id, variant_id, .. } = turn;
        let recipe = self.catalog.recipe(organization_id, variant_id).await?;
        let track = self.catalog.track(organization_id, track_id).await?;
        let (Some(recipe), Some(track)) = (recipe, track) else {
            return self.end_turn(&run.claimed, turn, true).await;
        };
        let files = self.catalog.files_of_track(track_id).await?;
        let colour = self.drawn_colour(&track, &recipe).await?;
        let is_there = |file: &TrackFile| {
            file.is_current(&recipe) && (colour.is_none() || file.drawn_colour() == colour)
        };
        if self.is_outdated(turn).await? || files.iter().any(is_there) {
            return self.end_turn(&run.claimed, turn, true).await;
        }
        let Some(source) = track.source.clone() else {
            return self.end_turn(&run.claimed, turn, true).await;
        };
        let board = FileProgress::new(std::slice::from_ref(&recipe));
        let work = self.make_and_record(run, turn, track, &source, &recipe, board.clone());
        tokio::select! {
            biased;
            made = work => made,
            () = self.report_until_deleted(organization_id, track_id, &board) => {
                self.end_turn(&run.claimed, turn, true).await
            }
        }
    }

    /// The player colour in which the file of a recipe is to be drawn, if it depends on that.
    async fn drawn_colour(&self, track: &Track, recipe: &Recipe) -> Result<Option<Colour>, JobError> {
        if Derived::of_recipe(&recipe.kind) != Some(Derived::WaveformFile) {
            return Ok(None);
        }
        let parents = TrackParents::of(&self.catalog, track.organization_id, track.collection_id).await?;
        Ok(Some(parents.inputs(track).colour))
    }

    /// Whether the rendering was restarted since. A restarted rendering has jobs of its own.
    async fn is_outdated(&self, turn: TrackRendering) -> Result<bool, JobError> {
        let rendering = self.catalog.rendering(turn.organization_id, turn.variant_id).await?;
        Ok(turn.run.is_some() && rendering.is_none_or(|rendering| Some(rendering.started_at) != turn.run))
    }

    async fn make_and_record(
        &self,
        run: &JobRun,
        turn: TrackRendering,
        track: Track,
        source: &Source,
        recipe: &Recipe,
        board: FileProgress,
    ) -> Result<Pass, JobError> {
        let unrecorded = match self.make_one(run, &track, source, recipe, board).await {
            Ok(unrecorded) => unrecorded,
            Err(Stop::Job(error)) => return Err(error),
            Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                let failed = (recipe.clone(), FileOutcome::Failed { reason });
                Unrecorded { files: vec![failed], ..Unrecorded::default() }
            }
        };
        let recording =
            self.recording(&run.claimed, turn.organization_id, turn.track_id, Some(source)).await?;
        let Some(mut recording) = recording else {
            return self.end_turn(&run.claimed, turn, true).await;
        };
        recording.put(unrecorded).await?;
        if recording.current(recipe).is_none() {
            // The result was dropped.
            recording.commit().await?;
            return Ok(Pass::Again);
        }
        recording.settle_again().await?;
        let is_made = recording.file_of(recipe).is_some_and(|file| file.is_current(recipe));
        let is_final = recording.track.status.is_final();
        recording.has_late_file = is_made && is_final && turn.run.is_some();
        let tx = recording.write().await?;
        let counted_for = (turn.organization_id, turn.variant_id);
        renderings::count_track(&tx, &self.ambient, counted_for, turn.run, is_made).await?;
        finish(&run.claimed, tx).await?;
        Ok(Pass::Finished)
    }

    async fn make_one(
        &self,
        run: &JobRun,
        track: &Track,
        source: &Source,
        recipe: &Recipe,
        board: FileProgress,
    ) -> Result<Unrecorded, Stop> {
        let limits = Limits::new(run.scope(LimitTier::Normal));
        let context = self.open_run_context(run, track.clone(), source, limits, board).await?;
        self.make_all(&context, vec![recipe.clone()]).await
    }

    /// Counts a track for which there is nothing (left) to do.
    async fn end_turn(
        &self,
        claimed: &ClaimedJob,
        turn: TrackRendering,
        is_made: bool,
    ) -> Result<Pass, JobError> {
        let tx = self.catalog.begin().await?;
        let counted_for = (turn.organization_id, turn.variant_id);
        renderings::count_track(&tx, &self.ambient, counted_for, turn.run, is_made).await?;
        finish(claimed, tx).await?;
        Ok(Pass::Finished)
    }
}
