//! Rendering a recipe for tracks that existed before it.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Ambient, Job, OrganizationId, Recipe, Rendering, Timestamp, VariantId};

/// Begins to render a recipe for `total` tracks, in place of an earlier rendering of it.
pub(crate) async fn begin(
    tx: &Transaction,
    ambient: &Ambient,
    recipe: &Recipe,
    total: u64,
) -> Result<Rendering, CatalogError> {
    let (organization_id, variant_id, now) = (recipe.organization_id, recipe.id, ambient.now());
    let earlier = tx.rendering(organization_id, variant_id).await?;
    // The start tells the jobs of one rendering from those of another.
    let started_at = earlier.map_or(now, |earlier| now.max(earlier.started_at.plus_millis(1)));
    let rendering = Rendering::begun(organization_id, variant_id, total, started_at);
    tx.put_rendering(&rendering).await?;
    queue(tx, ambient, &rendering, now).await?;
    Ok(rendering)
}

/// Queues the job that queues the tracks of a rendering, unless one is already waiting.
pub(crate) async fn queue(
    tx: &Transaction,
    ambient: &Ambient,
    rendering: &Rendering,
    run_at: Timestamp,
) -> Result<(), CatalogError> {
    let Rendering { organization_id, variant_id, .. } = *rendering;
    let job = Job::QueueRendering { organization_id, variant_id };
    let unique = format!("queue_rendering {variant_id}");
    tx.enqueue(job, ambient.record_id(), run_at, Some(&unique)).await
}

/// Counts a track whose job has ended, unless the rendering was restarted since or its recipe was removed.
pub(crate) async fn count_track(
    tx: &Transaction,
    ambient: &Ambient,
    (organization_id, variant_id): (OrganizationId, VariantId),
    run: Option<Timestamp>,
    is_made: bool,
) -> Result<(), CatalogError> {
    let Some(run) = run else { return Ok(()) };
    let rendering = tx.rendering(organization_id, variant_id).await?;
    if let Some(mut rendering) = rendering.filter(|it| it.started_at == run && it.finished_at.is_none()) {
        rendering.note_track(is_made, ambient.now());
        tx.put_rendering(&rendering).await?;
    }
    Ok(())
}

/// Ends a rendering whose job will not queue its other tracks.
pub(crate) async fn stop(
    tx: &Transaction,
    ambient: &Ambient,
    (organization_id, variant_id): (OrganizationId, VariantId),
) -> Result<(), CatalogError> {
    let rendering = tx.rendering(organization_id, variant_id).await?;
    if let Some(mut rendering) = rendering.filter(|it| it.finished_at.is_none()) {
        rendering.stop(ambient.now());
        tx.put_rendering(&rendering).await?;
    }
    Ok(())
}
