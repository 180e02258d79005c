//! The payloads of webhooks. The fields are guaranteed to receivers: fields may be added, but never change their
//! meaning.

use serde::Serialize;
use serde_json::Error;
use tonearm_domain::{
    Collection, CollectionId, Colour, CreatorId, EventKind, FileId, FileOutcome, FileProps, Metadata,
    OrganizationId, PlayerColours, RecipeType, ShortId, ThemeColour, Timestamp, Track, TrackFile, TrackId,
    TrackStatus, UploadSessionId, VariantData, VariantId, VariantIndex, Webhook, WebhookKind,
};

use crate::track_view::TrackView;

/// When an event happened, and its place among those about the same record.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Moment {
    pub(super) occurred_at: Timestamp,
    pub(super) version: i64,
}

#[derive(Serialize)]
struct TrackStatusChanged<'a> {
    event: EventKind,
    #[serde(flatten)]
    moment: Moment,
    status: TrackStatus,
    previous_status: TrackStatus,
    organization_id: OrganizationId,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    track_id: TrackId,
    upload_session_id: Option<UploadSessionId>,
    track: TrackRecord<'a>,
    files: Vec<FileRecord<'a>>,
}

#[derive(Serialize)]
struct TrackRecord<'a> {
    id: TrackId,
    track_status_id: TrackStatus,
    index: ShortId,
    organization_index: Option<&'a str>,
    file_name: &'a str,
    file_name_original: Option<&'a str>,
    player_title: Option<&'a str>,
    player_subtitle: Option<&'a str>,
    #[serde(flatten)]
    colours: Colours,
    order: i64,
    format: Option<&'a str>,
    metadata: &'a Metadata,
    duration: f64,
    size: Option<u64>,
    files_completed_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct Colours {
    player_color: Option<Colour>,
    player_color_light: Option<Colour>,
    player_color_dark: Option<Colour>,
}

#[derive(Serialize)]
struct TrackFileChanged<'a> {
    event: EventKind,
    #[serde(flatten)]
    moment: Moment,
    status: &'static str,
    organization_id: OrganizationId,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    track_id: TrackId,
    file_id: FileId,
    message: Option<&'a str>,
    file: DetailedFileRecord<'a>,
}

/// A file; its `url` is signed when it is sent.
#[derive(Serialize)]
struct FileRecord<'a> {
    id: FileId,
    path: Option<String>,
    url: Option<String>,
    size: Option<u64>,
    content_type: Option<&'static str>,
    file_name: Option<&'a str>,
    is_public: bool,
    is_success: bool,
    status_text: Option<&'a str>,
    variant: VariantRecord<'a>,
}

#[derive(Serialize)]
struct DetailedFileRecord<'a> {
    #[serde(flatten)]
    file: FileRecord<'a>,
    data: Option<VariantData>,
    props: FileProps,
}

#[derive(Serialize)]
struct VariantRecord<'a> {
    id: VariantId,
    index: &'a VariantIndex,
    variant_type: VariantTypeRecord,
}

#[derive(Serialize)]
struct VariantTypeRecord {
    id: RecipeType,
    viewer_id: &'static str,
    title: &'static str,
}

#[derive(Serialize)]
struct CollectionChanged<'a> {
    event: EventKind,
    #[serde(flatten)]
    moment: Moment,
    organization_id: OrganizationId,
    creator_id: Option<CreatorId>,
    collection_id: CollectionId,
    collection: CollectionRecord<'a>,
}

#[derive(Serialize)]
struct CollectionRecord<'a> {
    id: CollectionId,
    organization_id: OrganizationId,
    creator_id: Option<CreatorId>,
    organization_index: Option<&'a str>,
    title: &'a str,
    metadata: &'a Metadata,
    theme: &'a [ThemeColour],
    is_cover_overridable: bool,
    is_theme_overridable: bool,
    #[serde(flatten)]
    colours: Colours,
    player_subtitle: Option<&'a str>,
}

#[derive(Serialize)]
struct Test {
    event: EventKind,
    #[serde(flatten)]
    moment: Moment,
    organization_id: OrganizationId,
    webhook_kind: WebhookKind,
    message: &'static str,
    sent_at: Timestamp,
}

impl From<Option<PlayerColours>> for Colours {
    fn from(colours: Option<PlayerColours>) -> Self {
        Self {
            player_color: colours.map(|colours| colours.base),
            player_color_light: colours.map(|colours| colours.light),
            player_color_dark: colours.map(|colours| colours.dark),
        }
    }
}

impl<'a> From<&'a TrackFile> for FileRecord<'a> {
    fn from(file: &'a TrackFile) -> Self {
        let recipe_type = file.recipe.kind.recipe_type();
        let variant_type = VariantTypeRecord {
            id: recipe_type,
            viewer_id: recipe_type.viewer(),
            title: recipe_type.title(),
        };
        let variant = VariantRecord { id: file.recipe.id, index: &file.recipe.index, variant_type };
        let (made, reason) = match &file.outcome {
            FileOutcome::Made { key, size, file_name, .. } => (Some((key, *size, file_name)), None),
            FileOutcome::Failed { reason } => (None, Some(reason.as_str())),
        };
        Self {
            id: file.id,
            path: made.map(|(key, ..)| key.to_string()),
            url: None,
            size: made.map(|(_, size, _)| size),
            content_type: made.map(|(key, ..)| key.file.content_type.mime()),
            file_name: made.map(|(.., file_name)| file_name.as_str()),
            is_public: false,
            is_success: made.is_some(),
            status_text: reason,
            variant,
        }
    }
}

/// `track.status_changed`.
pub(super) fn track_status_changed(
    moment: Moment,
    view: &TrackView,
    previous: TrackStatus,
    files: &[TrackFile],
) -> Result<String, Error> {
    let track = &view.track;
    serde_json::to_string(&TrackStatusChanged {
        event: EventKind::TrackStatusChanged,
        moment,
        status: track.status,
        previous_status: previous,
        organization_id: track.organization_id,
        creator_id: track.creator_id,
        collection_id: track.collection_id,
        track_id: track.id,
        upload_session_id: track.upload_session_id,
        track: TrackRecord {
            id: track.id,
            track_status_id: track.status,
            index: track.index,
            organization_index: track.organization_index.as_deref(),
            file_name: &track.file_name,
            file_name_original: track.file_name_original.as_deref(),
            player_title: Some(&view.title),
            player_subtitle: view.subtitle.as_deref(),
            colours: Some(view.colours).into(),
            order: track.order,
            format: track.info.container.as_deref(),
            metadata: &track.metadata,
            duration: track.duration,
            size: track.source.as_ref().map(|source| source.size),
            files_completed_at: files.iter().map(|file| file.created_at).max(),
        },
        files: files.iter().map(FileRecord::from).collect(),
    })
}

/// `track_file.created` or `track_file.failed`.
pub(super) fn track_file(
    moment: Moment,
    event: EventKind,
    track: &Track,
    file: &TrackFile,
) -> Result<String, Error> {
    let (message, data) = match &file.outcome {
        FileOutcome::Made { key, data, .. } => (None, VariantData::of(data, key.file.content_type)),
        FileOutcome::Failed { reason } => (Some(reason.as_str()), None),
    };
    serde_json::to_string(&TrackFileChanged {
        event,
        moment,
        status: if file.is_made() { "success" } else { "failed" },
        organization_id: track.organization_id,
        creator_id: track.creator_id,
        collection_id: track.collection_id,
        track_id: track.id,
        file_id: file.id,
        message,
        file: DetailedFileRecord {
            file: file.into(),
            data,
            props: FileProps::of(file, &track.info, track.duration),
        },
    })
}

/// `collection.created`, `collection.updated` or `collection.deleted`.
pub(super) fn collection(moment: Moment, event: EventKind, collection: &Collection) -> Result<String, Error> {
    serde_json::to_string(&CollectionChanged {
        event,
        moment,
        organization_id: collection.organization_id,
        creator_id: collection.creator_id,
        collection_id: collection.id,
        collection: CollectionRecord {
            id: collection.id,
            organization_id: collection.organization_id,
            creator_id: collection.creator_id,
            organization_index: collection.organization_index.as_deref(),
            title: &collection.title,
            metadata: &collection.metadata,
            theme: collection.theme.colours(),
            is_cover_overridable: collection.is_cover_overridable,
            is_theme_overridable: collection.is_theme_overridable,
            colours: collection.colour().map(Colour::companions).into(),
            player_subtitle: collection.player_subtitle.as_deref(),
        },
    })
}

/// `webhook.test`.
pub(super) fn test(moment: Moment, webhook: &Webhook) -> Result<String, Error> {
    serde_json::to_string(&Test {
        event: EventKind::WebhookTest,
        moment,
        organization_id: webhook.organization_id,
        webhook_kind: webhook.kind,
        message: "This is a test event.",
        sent_at: moment.occurred_at,
    })
}
