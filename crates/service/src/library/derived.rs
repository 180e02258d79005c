//! Queueing the jobs that make derived things again. [`Derived::depends_on`] says what they depend on.

use tonearm_catalog::{CatalogError, NewJob, Transaction};
use tonearm_domain::{
    Ambient, Collection, CollectionId, CoverOwner, Derived, Input, Inputs, Job, JobQueue, Organization,
    OrganizationId, Track, TrackId, VariantId,
};

use crate::processing::manifests;

/// After a change of a track or of its collection.
pub(crate) async fn track_changed(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
    (before, after): (&Inputs, &Inputs),
) -> Result<(), CatalogError> {
    let things = Derived::from_inputs(&before.changed(after));
    queue(tx, ambient, track.organization_id, &[track.id], &things).await
}

/// After a change of a collection.
pub(crate) async fn collection_changed(
    tx: &Transaction,
    ambient: &Ambient,
    (before, after): (&Collection, &Collection),
) -> Result<(), CatalogError> {
    let changed = Input::of_collection(before, after);
    tracks_of(tx, ambient, after.organization_id, Some(after.id), &changed).await
}

/// After a change of an organization.
pub(crate) async fn organization_changed(
    tx: &Transaction,
    ambient: &Ambient,
    (before, after): (&Organization, &Organization),
) -> Result<(), CatalogError> {
    tracks_of(tx, ambient, after.id, None, &Input::of_organization(before, after)).await
}

/// After a track was restored: nothing was made for it while it was deleted.
pub(crate) async fn track_restored(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
) -> Result<(), CatalogError> {
    let things: &[Derived] = if track.status.is_settled() && track.source.is_some() {
        &Derived::ALL
    } else {
        &[Derived::Manifest]
    };
    queue(tx, ambient, track.organization_id, &[track.id], things).await
}

/// Queues the job that queues the tracks of a collection, or of the whole organization.
pub(crate) async fn tracks_of(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    collection_id: Option<CollectionId>,
    changed: &[Input],
) -> Result<(), CatalogError> {
    let things = Derived::from_inputs(changed);
    if things.is_empty() {
        return Ok(());
    }
    queue_all(tx, ambient, organization_id, collection_id, things).await
}

/// Queues the job that queues the tracks of a collection, or of the whole organization, for these things.
pub(crate) async fn queue_all(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    collection_id: Option<CollectionId>,
    things: Vec<Derived>,
) -> Result<(), CatalogError> {
    let job = Job::DeriveAgain { organization_id, collection_id, things, cursor: None };
    tx.enqueue(job, ambient.record_id(), ambient.now(), None).await
}

/// Queues the jobs that make these things again for some tracks, behind new uploads.
pub(crate) async fn queue(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    tracks: &[TrackId],
    things: &[Derived],
) -> Result<(), CatalogError> {
    let now = ambient.now();
    let mut jobs = Vec::new();
    let is_picture =
        |thing: &Derived| !matches!(thing, Derived::WaveformFile | Derived::Manifest | Derived::RenderedFile);
    if things.iter().any(is_picture) {
        jobs.extend(tracks.iter().map(|&track_id| {
            let job = Job::FinishCover { organization_id, owner: CoverOwner::Track(track_id) };
            NewJob {
                unique: Some(format!("derive_again {track_id}")),
                queue: JobQueue::Renderings,
                ..NewJob::new(job, ambient.record_id(), now)
            }
        }));
    }
    for (variant_id, track_id) in files_to_render(tx, organization_id, tracks, things).await? {
        let job = Job::RenderTrack { organization_id, track_id, variant_id, run: None };
        jobs.push(NewJob {
            unique: Some(format!("derive_again {track_id} {variant_id}")),
            ..NewJob::new(job, ambient.record_id(), now)
        });
    }
    tx.enqueue_all(jobs).await?;
    if things.contains(&Derived::Manifest) {
        manifests::queue_many(tx, ambient, tracks.iter().map(|track| (organization_id, *track))).await?;
    }
    Ok(())
}

/// The recipes whose files are rendered again, each with a track.
async fn files_to_render(
    tx: &Transaction,
    organization_id: OrganizationId,
    tracks: &[TrackId],
    things: &[Derived],
) -> Result<Vec<(VariantId, TrackId)>, CatalogError> {
    let mut all = Vec::new();
    let (draws, renders) = (things.contains(&Derived::WaveformFile), things.contains(&Derived::RenderedFile));
    if !draws && !renders {
        return Ok(all);
    }
    let rendered = if renders { tx.rendered_recipes(organization_id).await? } else { Vec::new() };
    for recipe in tx.recipes(organization_id).await? {
        let is_drawn = draws && Derived::of_recipe(&recipe.kind) == Some(Derived::WaveformFile);
        let is_rendered = rendered.contains(&recipe.id);
        if !is_drawn && !is_rendered {
            continue;
        }
        let files = tx.files_of_recipe(recipe.id, tracks).await?;
        let is_due = |track: &TrackId| match files.iter().find(|file| file.track_id == *track) {
            Some(file) => is_drawn && file.is_made() || is_rendered && !file.is_current(&recipe),
            None => is_rendered,
        };
        all.extend(tracks.iter().filter(|track| is_due(track)).map(|track| (recipe.id, *track)));
    }
    Ok(all)
}
