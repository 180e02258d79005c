//! The records of a track, each with exactly the fields that the interface specifies.

use serde::Serialize;
use tonearm_domain::{
    CollectionId, CreatorId, Metadata, OrganizationId, ShortId, ThemeColour, TrackId, TrackInfo, TrackStatus,
};
use tonearm_service::{DurableBase, Links, TrackSummaryView, TrackView};
use utoipa::ToSchema;

use super::Colours;

/// The fields of every record of a track. A deleted track has only these.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BasicTrack {
    id: TrackId,
    organization_id: OrganizationId,
    collection_id: CollectionId,
    index: ShortId,
    /// In seconds; 0 until the file has been probed.
    duration: f64,
    file_name: String,
    order: i64,
    metadata: Metadata,
    player_title: Option<String>,
    player_subtitle: Option<String>,
    #[serde(flatten)]
    colours: Colours,
    theme: Vec<ThemeColour>,
    track_status_id: TrackStatus,
}

/// The reduced record, as in lists and in the responses of create and update requests. `GET /v1/track/{track_id}` has all fields.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReducedTrack {
    #[serde(flatten)]
    basic: BasicTrack,
    /// The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: String,
    /// The same as a URL. Sign it with a signing key of the organization.
    base_url: String,
    /// The spoken words in paragraphs, if the organization has transcription.
    #[schema(read_only)]
    transcription: Option<String>,
    /// Their language (BCP 47).
    #[schema(read_only)]
    transcription_language: Option<String>,
}

/// The full record. `player_title` and `player_subtitle` are the values that were set, or null.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullTrack {
    #[serde(flatten)]
    reduced: ReducedTrack,
    /// What players show: `player_title`, otherwise the title tag, otherwise the file name without its extension.
    shown_title: String,
    /// What players show: `player_subtitle`, otherwise the artist tag, otherwise the collection's or the organization's subtitle.
    shown_subtitle: Option<String>,
    is_cover_overridable: bool,
    is_theme_overridable: bool,
    creator_id: Option<CreatorId>,
    file_name_original: Option<String>,
    info: TrackInfo,
    organization_index: Option<String>,
    /// Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Option<String>,
}

/// The short form, as in the list of a play session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedTrack {
    id: TrackId,
    index: ShortId,
    /// In seconds.
    duration: f64,
    order: i64,
    /// What players show: the title that was set, otherwise the title tag, otherwise the file name without its extension.
    player_title: String,
    /// What players show: the subtitle that was set, otherwise the artist tag, otherwise the collection's or the organization's.
    player_subtitle: Option<String>,
    #[serde(flatten)]
    colours: Colours,
}

/// The full form, as in playback data.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayedTrack {
    #[serde(flatten)]
    listed: ListedTrack,
    theme: Vec<ThemeColour>,
    file_name: String,
    info: TrackInfo,
    organization_index: Option<String>,
    metadata: Metadata,
    /// Whether white text is more readable than black text on the player colour.
    is_dark: bool,
}

impl From<TrackView> for BasicTrack {
    fn from(TrackView { track, colours, .. }: TrackView) -> Self {
        Self {
            id: track.id,
            organization_id: track.organization_id,
            collection_id: track.collection_id,
            index: track.index,
            duration: track.duration,
            file_name: track.file_name,
            order: track.order,
            metadata: track.metadata,
            player_title: track.player_title,
            player_subtitle: track.player_subtitle,
            colours: colours.into(),
            theme: track.theme.colours().to_vec(),
            track_status_id: track.status,
        }
    }
}

impl ReducedTrack {
    /// The track with its own title and subtitle, as they were set.
    pub(crate) fn new(mut view: TrackView, links: &Links) -> Self {
        let DurableBase { base_path, base_url } =
            links.durable_base(view.track.organization_id, view.track.index);
        Self {
            base_path,
            base_url,
            transcription: view.track.transcription.take(),
            transcription_language: view.track.transcription_language.take(),
            basic: view.into(),
        }
    }

    /// The track as an element of a list, with the title and the subtitle that players show.
    pub(crate) fn listed(mut view: TrackView, links: &Links) -> Self {
        view.track.player_title = Some(std::mem::take(&mut view.title));
        view.track.player_subtitle = view.subtitle.take();
        Self::new(view, links)
    }
}

impl FullTrack {
    /// The track with all its fields.
    pub(crate) fn new(mut view: TrackView, links: &Links) -> Self {
        Self {
            shown_title: view.title.clone(),
            shown_subtitle: view.subtitle.clone(),
            is_cover_overridable: view.track.is_cover_overridable,
            is_theme_overridable: view.track.is_theme_overridable,
            creator_id: view.track.creator_id,
            file_name_original: view.track.file_name_original.take(),
            info: std::mem::take(&mut view.track.info),
            organization_index: view.track.organization_index.take(),
            status_reason: view.track.status_reason.take(),
            reduced: ReducedTrack::new(view, links),
        }
    }
}

impl From<TrackView> for ListedTrack {
    fn from(TrackView { track, colours, title, subtitle, .. }: TrackView) -> Self {
        Self {
            id: track.id,
            index: track.index,
            duration: track.duration,
            order: track.order,
            player_title: title,
            player_subtitle: subtitle,
            colours: colours.into(),
        }
    }
}

/// Writes a track as an element of a play session's list.
pub fn write_listed_track(view: &TrackSummaryView, json: &mut Vec<u8>) -> Result<(), serde_json::Error> {
    let TrackSummaryView { track, colours, title, subtitle } = view;
    let listed = ListedTrack {
        id: track.id,
        index: track.index,
        duration: track.duration,
        order: track.order,
        player_title: title.clone(),
        player_subtitle: subtitle.clone(),
        colours: (*colours).into(),
    };
    serde_json::to_writer(json, &listed)
}

impl From<TrackView> for PlayedTrack {
    fn from(mut view: TrackView) -> Self {
        let track = &mut view.track;
        Self {
            theme: track.theme.colours().to_vec(),
            file_name: std::mem::take(&mut track.file_name),
            info: std::mem::take(&mut track.info),
            organization_index: track.organization_index.take(),
            metadata: std::mem::take(&mut track.metadata),
            is_dark: view.colours.base.is_dark(),
            listed: view.into(),
        }
    }
}
