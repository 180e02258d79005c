//! Rendering a recipe for tracks that existed before it.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Ambient, Job, OrganizationId, Rendering, Timestamp, VariantId};

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
