//! The schemas of the events that are sent to webhooks. `tonearm_service` writes the events; a test compares them with
//! these schemas.
#![allow(dead_code, reason = "only describes")]

use tonearm_domain::{
    CollectionId, CreatorId, EventKind, FileId, FileProps, Metadata, OrganizationId, ShortId, Timestamp,
    TrackId, TrackStatus, UploadSessionId, VariantData, VariantId, VariantIndex, WebhookKind,
};
use utoipa::ToSchema;
use utoipa::openapi::schema::{Object, ObjectBuilder, Type};

use crate::shapes::{CollectionRecord, Colours, VariantTypeRecord};

/// When an event happened, and its place among those about the same record.
#[derive(ToSchema)]
struct EventMoment {
    occurred_at: Timestamp,
    /// Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
    /// version is the later one, whichever arrives first.
    version: i64,
}

/// A track became `ready`, `incomplete`, `error` or `init_error`, its source was replaced, or it got a file later.
#[derive(ToSchema)]
pub(super) struct TrackStatusChanged {
    #[schema(schema_with = event_of_track)]
    event: EventKind,
    #[serde(flatten)]
    moment: EventMoment,
    status: TrackStatus,
    previous_status: TrackStatus,
    organization_id: OrganizationId,
    #[schema(required)]
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    track_id: TrackId,
    #[schema(required)]
    upload_session_id: Option<UploadSessionId>,
    track: EventTrack,
    files: Vec<EventFile>,
}

/// A file of a track was made, or failed.
#[derive(ToSchema)]
pub(super) struct TrackFileEvent {
    #[schema(schema_with = event_of_file)]
    event: EventKind,
    #[serde(flatten)]
    moment: EventMoment,
    #[schema(schema_with = outcome)]
    status: String,
    organization_id: OrganizationId,
    #[schema(required)]
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    track_id: TrackId,
    file_id: FileId,
    /// Why it failed; null if it did not.
    #[schema(required)]
    message: Option<String>,
    file: DetailedEventFile,
}

/// A collection was created (or restored), updated or deleted.
#[derive(ToSchema)]
pub(super) struct CollectionEvent {
    #[schema(schema_with = event_of_collection)]
    event: EventKind,
    #[serde(flatten)]
    moment: EventMoment,
    organization_id: OrganizationId,
    #[schema(required)]
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    collection: CollectionRecord,
}

/// The body of a test event.
#[derive(ToSchema)]
pub(super) struct TestEvent {
    #[schema(schema_with = event_of_test)]
    event: EventKind,
    #[serde(flatten)]
    moment: EventMoment,
    organization_id: OrganizationId,
    webhook_kind: WebhookKind,
    message: String,
    sent_at: Timestamp,
}

/// A track, as events describe it.
#[derive(ToSchema)]
struct EventTrack {
    id: TrackId,
    track_status_id: TrackStatus,
    index: ShortId,
    #[schema(required)]
    organization_index: Option<String>,
    file_name: String,
    #[schema(required)]
    file_name_original: Option<String>,
    /// The title that players show: derived from the file if none was set.
    #[schema(required)]
    player_title: Option<String>,
    #[schema(required)]
    player_subtitle: Option<String>,
    #[serde(flatten)]
    colours: Colours,
    order: i64,
    /// The container of the source, such as `wav`.
    #[schema(required)]
    format: Option<String>,
    metadata: Metadata,
    /// In seconds.
    duration: f64,
    /// Bytes of the source.
    #[schema(required)]
    size: Option<u64>,
    #[schema(required)]
    files_completed_at: Option<Timestamp>,
}

/// A file, as events describe it. A file that failed has no path, URL, size, content type and name.
#[derive(ToSchema)]
struct EventFile {
    id: FileId,
    #[schema(required)]
    path: Option<String>,
    /// Signed when the event is sent, and valid for an hour.
    #[schema(required)]
    url: Option<String>,
    #[schema(required)]
    size: Option<u64>,
    #[schema(required)]
    content_type: Option<String>,
    #[schema(required)]
    file_name: Option<String>,
    is_public: bool,
    is_success: bool,
    /// Why it failed; null if it did not.
    #[schema(required)]
    status_text: Option<String>,
    variant: EventVariant,
}

/// A file with what was found out about it.
#[derive(ToSchema)]
struct DetailedEventFile {
    #[serde(flatten)]
    file: EventFile,
    #[schema(required)]
    data: Option<VariantData>,
    props: FileProps,
}

/// The variant of a file, as events describe it.
#[derive(ToSchema)]
struct EventVariant {
    id: VariantId,
    index: VariantIndex,
    variant_type: VariantTypeRecord,
}

fn one_of(values: impl IntoIterator<Item = &'static str>) -> Object {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(values)).build()
}

fn event_of(events: &[EventKind]) -> Object {
    one_of(events.iter().map(|event| event.as_str()))
}

fn event_of_track() -> Object {
    event_of(WebhookKind::Track.events())
}

fn event_of_file() -> Object {
    event_of(WebhookKind::File.events())
}

fn event_of_collection() -> Object {
    event_of(WebhookKind::Collection.events())
}

fn event_of_test() -> Object {
    event_of(&[EventKind::WebhookTest])
}

fn outcome() -> Object {
    one_of(["success", "failed"])
}
