//! Queue a job for each track that a recipe is to be rendered for.

use tonearm_catalog::{NewJob, Transaction};
use tonearm_domain::{Job, OrganizationId, Recipe, Rendering, TrackId, VariantId};

use super::render_track::is_current;
use crate::library::renderings;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks of one transaction.
const BATCH: u64 = 200;
/// How many tracks of one rendering wait for their turn when no more are queued.
const MOST_OUTSTANDING: u64 = 1000;
/// Seconds until more are queued where there were too many.
const LATER_SECONDS: i64 = 3;

impl Processing {
    /// Queues the tracks that lack a recipe's file, or have it with other settings; any node renders them. Where many
    /// wait for their turn, it goes on later, behind what has come in the meantime.
    pub(in crate::processing) async fn queue_rendering(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        variant_id: VariantId,
    ) -> Result<(), JobError> {
        loop {
            let tx = self.begin_batch(run).await?;
            // Each time anew: after a change of the recipe, the rendering may have been begun once more.
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

    /// Looks at the next tracks and queues those that need it.
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
            |track: &TrackId| files.iter().any(|file| file.track_id == *track && is_current(file, recipe));
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
