//! Queueing events. An event is queued in the transaction of the change that it reports, so that neither exists without
//! the other. If no endpoint receives an event, nothing is written.

use tonearm_catalog::{CatalogError, EventRecord, Transaction};
use tonearm_domain::{
    Ambient, Collection, EventKind, EventPlace, OrganizationId, Track, TrackFile, TrackStatus, Webhook,
    WebhookDelivery, WebhookKind,
};
use uuid::Uuid;

use super::payload::{self, Moment};
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

/// Queues an event about a track whose replacement was completed or failed, or that has got a file by a rendering, which
/// need not change its status. Must be called after the track was written.
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
    let queue = Queue { event: EventKind::TrackStatusChanged, subject_id: track.id.uuid(), webhook };
    let text = |moment| payload::track_status_changed(moment, &view, previous, &files);
    queue.put(tx, ambient, EventRecord::Track(track.id), text).await
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
    let queue = Queue { event, subject_id: file.id.uuid(), webhook };
    let text = |moment| payload::track_file(moment, event, track, file);
    queue.put(tx, ambient, EventRecord::Track(track.id), text).await
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
    let queue = Queue { event, subject_id: collection.id.uuid(), webhook };
    let text = |moment| payload::collection(moment, event, collection);
    queue.put(tx, ambient, EventRecord::Collection(collection.id), text).await
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

/// An event for an endpoint.
struct Queue {
    webhook: Webhook,
    event: EventKind,
    subject_id: Uuid,
}

impl Queue {
    /// Queues it as the latest event about a record. `write` writes the payload.
    async fn put(
        self,
        tx: &Transaction,
        ambient: &Ambient,
        record: EventRecord,
        write: impl FnOnce(Moment) -> serde_json::Result<String>,
    ) -> Result<(), CatalogError> {
        let (id, now) = (ambient.record_id(), ambient.now());
        let version = tx.next_event_version(record, now).await?;
        // Plain data can always be serialized. A bug here must not prevent the change that the event reports.
        let text = write(Moment { occurred_at: now, version });
        let Ok(text) = text.inspect_err(|error| tracing::error!(%error, "could not write an event")) else {
            return Ok(());
        };
        let (Self { webhook, event, subject_id }, record_id) = (self, record.uuid());
        let place = Some(EventPlace { record_id, version });
        tx.queue_delivery(&WebhookDelivery::new(id, &webhook, event, subject_id, place, text, now)).await
    }
}
