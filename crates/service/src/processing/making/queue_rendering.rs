//! Queueing a job for each track that a recipe is to be rendered for.

use tonearm_catalog::{NewJob, Transaction};
use tonearm_domain::{Job, OrganizationId, Recipe, Rendering, TrackId, VariantId};

use crate::library::renderings;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks in one transaction.
const BATCH: u64 = 200;
/// No more tracks are queued while this many tracks of the rendering are waiting.
const MOST_OUTSTANDING: u64 = 1000;
/// Seconds to wait before more are queued if too many are waiting.
const LATER_SECONDS: i64 = 3;

impl Processing {
    /// Queues the tracks that lack a recipe's file or have it with other settings. Any node renders them. If many are
    /// waiting, it continues later, behind jobs queued in the meantime.
    pub(in crate::processing) async fn queue_rendering(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        variant_id: VariantId,
    ) -> Result<(), JobError> {
        loop {
            let tx = self.begin_batch(run).await?;
            // Read again in each round: after a change of the recipe, the rendering may have been restarted.
            let Some(recipe) = tx.recipe_to_follow(organization_id, variant_id).await? else {
                return finish(&run.claimed, tx).await;
            };
            let rendering = tx.rendering(organization_id, variant_id).await?;
            let Some(mut rendering) = rendering.filter(|rendering| rendering.finished_at.is_none()) else {
                return finish(&run.claimed, tx).await;
            };
            if rendering.outstanding() >= MOST_OUTSTANDING {
                let later = self.ambient.now().plus_seconds(LATER_SECONDS);
                renderings::queue(&tx, &self.ambient, &rendering, later).await?;
                return finish(&run.claimed, tx).await;
            }
            self.queue_tracks(&tx, &recipe, &mut rendering).await?;
            tx.put_rendering(&rendering).await?;
            if rendering.is_at_end {
                return finish(&run.claimed, tx).await;
            }
            tx.commit().await?;
        }
    }

    /// Checks the next tracks and queues those that need the file.
    async fn queue_tracks(
        &self,
        tx: &Transaction,
        recipe: &Recipe,
        rendering: &mut Rendering,
    ) -> Result<(), JobError> {
        let (organization_id, variant_id, now) = (recipe.organization_id, recipe.id, self.ambient.now());
        let tracks = tx.renderable_tracks(organization_id, rendering.cursor, BATCH).await?;
        let files = tx.files_of_recipe(variant_id, &tracks).await?;
        let has_it =
            |track: &TrackId| files.iter().any(|file| file.track_id == *track && file.is_current(recipe));
        let missing: Vec<TrackId> = tracks.iter().copied().filter(|track| !has_it(track)).collect();
        rendering.note_batch(&tracks, (tracks.len() - missing.len()) as u64, now);
        let run = Some(rendering.started_at);
        let jobs = missing.into_iter().map(|track_id| {
            let job = Job::RenderTrack { organization_id, track_id, variant_id, run };
            NewJob::new(job, self.ambient.record_id(), now)
        });
        Ok(tx.enqueue_all(jobs.collect()).await?)
    }
}
