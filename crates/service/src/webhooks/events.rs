//! Queueing events. An event is queued in the transaction of the change that it reports, so that neither exists without
//! the other. If no endpoint receives an event, nothing is written.

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{
    Ambient, Collection, EventKind, OrganizationId, Track, TrackFile, TrackStatus, Webhook, WebhookDelivery,
    WebhookKind,
};
use uuid::Uuid;

use super::payload;
use crate::track_view::TrackParents;

/// Queues an event if a track has reached a final status. Must be called after the track was written.
pub(crate) async fn track_settled(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
    previous: TrackStatus,
) -> Result<(), CatalogError> {
    if !track.status.is_final() || track.status == previous {
        return Ok(());
    }
    track_reported(tx, ambient, track, previous).await
}

/// Queues an event about a track whose replacement was completed or failed, which need not change its status. Must be
/// called after the track was written.
pub(crate) async fn track_reported(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
    previous: TrackStatus,
) -> Result<(), CatalogError> {
    let Some(webhook) = receiver(tx, ambient, track.organization_id, WebhookKind::Track).await? else {
        return Ok(());
    };
    let parents = TrackParents::in_transaction(tx, track.organization_id, track.collection_id).await?;
    let Some(parents) = parents else {
        return Ok(());
    };
    let view = parents.view(track.clone());
    let files = tx.files_of_track(track.id).await?;
    let text = payload::track_status_changed(&view, previous, &files);
    queue(tx, ambient, &webhook, EventKind::TrackStatusChanged, track.id.uuid(), text).await
}

/// Queues an event that a file of a track was made, or could not be made.
pub(crate) async fn file_recorded(
    tx: &Transaction,
    ambient: &Ambient,
    track: &Track,
    file: &TrackFile,
) -> Result<(), CatalogError> {
    let Some(webhook) = receiver(tx, ambient, track.organization_id, WebhookKind::File).await? else {
        return Ok(());
    };
    let event = if file.is_made() { EventKind::TrackFileCreated } else { EventKind::TrackFileFailed };
    queue(tx, ambient, &webhook, event, file.id.uuid(), payload::track_file(event, track, file)).await
}

/// Queues an event that a collection was created, changed or deleted.
pub(crate) async fn collection_changed(
    tx: &Transaction,
    ambient: &Ambient,
    event: EventKind,
    collection: &Collection,
) -> Result<(), CatalogError> {
    let Some(webhook) = receiver(tx, ambient, collection.organization_id, WebhookKind::Collection).await?
    else {
        return Ok(());
    };
    let text = payload::collection(event, collection);
    queue(tx, ambient, &webhook, event, collection.id.uuid(), text).await
}

/// The endpoint that receives events of a kind.
async fn receiver(
    tx: &Transaction,
    ambient: &Ambient,
    organization_id: OrganizationId,
    kind: WebhookKind,
) -> Result<Option<Webhook>, CatalogError> {
    Ok(tx.webhook(organization_id, kind).await?.filter(|webhook| webhook.is_valid_at(ambient.now())))
}

async fn queue(
    tx: &Transaction,
    ambient: &Ambient,
    webhook: &Webhook,
    event: EventKind,
    subject_id: Uuid,
    text: serde_json::Result<String>,
) -> Result<(), CatalogError> {
    // Plain data can always be serialized. A bug here must not prevent the change that the event reports.
    let Ok(text) = text.inspect_err(|error| tracing::error!(%error, "could not write an event")) else {
        return Ok(());
    };
    let id = ambient.record_id();
    tx.queue_delivery(&WebhookDelivery::new(id, webhook, event, subject_id, text, ambient.now())).await
}
