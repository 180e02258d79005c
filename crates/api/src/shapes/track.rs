//! The forms of a track, each with exactly the fields that the interface lists for it.

use serde::Serialize;
use tonearm_domain::{
    CollectionId, CreatorId, Metadata, OrganizationId, ShortId, ThemeColour, TrackId, TrackInfo, TrackStatus,
};
use tonearm_service::{TrackSummaryView, TrackView};
use utoipa::ToSchema;

use super::Colours;

/// What every record of a track has; a deleted track has only this.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BasicTrack {
    id: TrackId,
    organization_id: OrganizationId,
    collection_id: CollectionId,
    index: ShortId,
    /// Seconds; 0 until probed.
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

/// The reduced record: in lists, and after creation and update.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ReducedTrack {
    #[serde(flatten)]
    basic: BasicTrack,
    transcription: Option<String>,
    transcription_language: Option<String>,
}

/// The full record.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FullTrack {
    #[serde(flatten)]
    reduced: ReducedTrack,
    creator_id: Option<CreatorId>,
    file_name_original: Option<String>,
    info: TrackInfo,
    organization_index: Option<String>,
    /// Why the track failed or is incomplete, or what its processing waits for.
    status_reason: Option<String>,
}

/// The short form, in the list of a play session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ListedTrack {
    id: TrackId,
    index: ShortId,
    /// Seconds.
    duration: f64,
    order: i64,
    player_title: Option<String>,
    player_subtitle: Option<String>,
    #[serde(flatten)]
    colours: Colours,
}

/// The full form of a track that is played.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlayedTrack {
    #[serde(flatten)]
    listed: ListedTrack,
    theme: Vec<ThemeColour>,
    file_name: String,
    info: TrackInfo,
    organization_index: Option<String>,
    metadata: Metadata,
    /// Whether white text reads better than black on the player colour.
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
            theme: track.theme,
            track_status_id: track.status,
        }
    }
}

impl From<TrackView> for ReducedTrack {
    fn from(mut view: TrackView) -> Self {
        Self {
            transcription: view.track.transcription.take(),
            transcription_language: view.track.transcription_language.take(),
            basic: view.into(),
        }
    }
}

impl From<TrackView> for FullTrack {
    fn from(mut view: TrackView) -> Self {
        Self {
            creator_id: view.track.creator_id,
            file_name_original: view.track.file_name_original.take(),
            info: std::mem::take(&mut view.track.info),
            organization_index: view.track.organization_index.take(),
            status_reason: view.track.status_reason.take(),
            reduced: view.into(),
        }
    }
}

impl From<TrackView> for ListedTrack {
    fn from(TrackView { track, colours, .. }: TrackView) -> Self {
        Self {
            id: track.id,
            index: track.index,
            duration: track.duration,
            order: track.order,
            player_title: track.player_title,
            player_subtitle: track.player_subtitle,
            colours: colours.into(),
        }
    }
}

impl From<TrackSummaryView> for ListedTrack {
    fn from(TrackSummaryView { track, colours }: TrackSummaryView) -> Self {
        Self {
            id: track.id,
            index: track.index,
            duration: track.duration,
            order: track.order,
            player_title: track.player_title,
            player_subtitle: track.player_subtitle,
            colours: colours.into(),
        }
    }
}

impl From<TrackView> for PlayedTrack {
    fn from(mut view: TrackView) -> Self {
        let track = &mut view.track;
        Self {
            theme: std::mem::take(&mut track.theme),
            file_name: std::mem::take(&mut track.file_name),
            info: std::mem::take(&mut track.info),
            organization_index: track.organization_index.take(),
            metadata: std::mem::take(&mut track.metadata),
            is_dark: view.colours.base.is_dark(),
            listed: view.into(),
        }
    }
}
