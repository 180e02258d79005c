//! Render a recipe for the tracks that were there before it.

use futures::stream::{self, StreamExt};
use tonearm_domain::{
    FileOutcome, Job, OrganizationId, Recipe, Rendering, Source, Track, TrackFile, VariantId,
};
use tonearm_media::LimitTier;

use super::board::Board;
use super::recording::Unrecorded;
use super::stop::Stop;
use super::{JobError, JobRun, Processing};

/// Tracks of one run, for each process that runs at once. After them the job queues up again, behind what has come
/// in the meantime.
const TRACKS_PER_PROCESS: usize = 4;

impl Processing {
    /// Renders a recipe for the next few tracks that lack it, or have it with other settings. They stay playable all
    /// the time. Where there are more, the job queues up again.
    pub(super) async fn render_existing(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        variant_id: VariantId,
    ) -> Result<(), JobError> {
        let recipe = self.catalog.recipe(organization_id, variant_id).await?;
        let rendering = self.catalog.rendering(organization_id, variant_id).await?;
        let (Some(recipe), Some(rendering)) = (recipe, rendering) else {
            return self.finish(&run.claimed).await;
        };
        if rendering.finished_at.is_some() {
            return self.finish(&run.claimed).await;
        }
        let at_once = self.media.concurrency();
        let limit = at_once * TRACKS_PER_PROCESS;
        let tracks = self.catalog.renderable_tracks(organization_id, rendering.cursor, limit as u64).await?;
        let cursor = tracks.last().map(|track| track.id);
        let looked_at = tracks.len();
        let mut rendered =
            stream::iter(tracks).map(|track| self.render_for(run, track, &recipe)).buffer_unordered(at_once);
        let mut failed = 0;
        while let Some(is_made) = rendered.next().await {
            failed += u64::from(!is_made?);
        }
        let step = Rendering {
            done: rendering.done + looked_at as u64,
            failed: rendering.failed + failed,
            cursor: cursor.or(rendering.cursor),
            finished_at: (looked_at < limit).then(|| self.ambient.now()),
            ..rendering.clone()
        };
        self.end_step(run, &rendering, &step).await
    }

    /// Records a step, unless the rendering was begun anew meanwhile, and queues the next one.
    async fn end_step(&self, run: &JobRun, before: &Rendering, step: &Rendering) -> Result<(), JobError> {
        let (organization_id, variant_id) = (step.organization_id, step.variant_id);
        let tx = self.catalog.begin().await?;
        if tx.rendering(organization_id, variant_id).await?.as_ref() == Some(before) {
            tx.put_rendering(step).await?;
            if step.finished_at.is_none() {
                let job = Job::RenderExisting { organization_id, variant_id };
                tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), None).await?;
            }
        }
        super::finish(&run.claimed, tx).await
    }

    /// Whether a track has a recipe's file afterwards, or is gone.
    async fn render_for(&self, run: &JobRun, track: Track, recipe: &Recipe) -> Result<bool, JobError> {
        let files = self.catalog.files_of_track(track.id).await?;
        if files.iter().any(|file| is_current(file, recipe)) {
            return Ok(true);
        }
        let (organization_id, track_id) = (track.organization_id, track.id);
        let board = Board::new(std::slice::from_ref(recipe));
        let work = self.render_one(run, track, recipe, board.clone());
        tokio::select! {
            biased;
            made = work => made,
            () = self.attend(organization_id, track_id, &board) => Ok(true),
        }
    }

    async fn render_one(
        &self,
        run: &JobRun,
        track: Track,
        recipe: &Recipe,
        board: Board,
    ) -> Result<bool, JobError> {
        let Some(source) = track.source.clone() else { return Ok(true) };
        let unrecorded = match self.make_one(run, &track, &source, recipe, board).await {
            Ok(unrecorded) => unrecorded,
            Err(Stop::Job(error)) => return Err(error),
            Err(Stop::Source(reason) | Stop::Limit(reason)) => {
                let failed = (recipe.clone(), FileOutcome::Failed { reason });
                Unrecorded { files: vec![failed], ..Unrecorded::default() }
            }
        };
        let recording = self.recording(&run.claimed, track.organization_id, track.id).await?;
        let Some(mut recording) = recording else { return Ok(true) };
        recording.put(unrecorded).await?;
        recording.settle_again().await?;
        let is_made = recording.file_of(recipe).is_some_and(|file| is_current(file, recipe));
        recording.commit().await?;
        Ok(is_made)
    }

    async fn make_one(
        &self,
        run: &JobRun,
        track: &Track,
        source: &Source,
        recipe: &Recipe,
        board: Board,
    ) -> Result<Unrecorded, Stop> {
        // There is no status that would tell of a second try.
        let scope = run.scope(LimitTier::Fallback);
        let bench = self.open_workbench(run, track.clone(), source, scope, board).await?;
        self.make_all(&bench, vec![recipe.clone()]).await
    }
}

/// Whether a file is what a recipe asks for now.
fn is_current(file: &TrackFile, recipe: &Recipe) -> bool {
    file.recipe.id == recipe.id && file.recipe.kind == recipe.kind && file.is_made()
}
