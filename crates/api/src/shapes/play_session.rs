//! Play sessions.

use serde::Serialize;
use tonearm_domain::{CreatorId, Metadata, PlaySession, PlaySessionId, Timestamp, TrackId, VariantIndex};
use tonearm_service::{OpenedPlaySession, Playable};
use utoipa::ToSchema;

use super::{ListedTrack, PlaybackData};

/// What every record of a play session has; beside a single track it has only this.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaySessionCore {
    id: PlaySessionId,
    variants: Vec<VariantIndex>,
    is_downloadable: bool,
    expires_at: Timestamp,
}

/// The record of a play session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PlaySessionRecord {
    #[serde(flatten)]
    core: PlaySessionCore,
    creator_id: Option<CreatorId>,
    organization_index: Option<String>,
    metadata: Metadata,
}

/// The first track of a session, ready to play.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FirstTrack {
    track_id: TrackId,
    #[serde(flatten)]
    playback: PlaybackData,
}

/// What creating and reading a play session answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpenedBody {
    play_session_id: PlaySessionId,
    play_session: PlaySessionRecord,
    tracks: Vec<ListedTrack>,
    /// Null where no track is playable.
    first_track: Option<FirstTrack>,
}

impl From<PlaySession> for PlaySessionCore {
    fn from(session: PlaySession) -> Self {
        Self {
            id: session.id,
            // The use case has named them; none is left only where there is nothing to play.
            variants: session.variants.only().map(|list| list.to_vec()).unwrap_or_default(),
            is_downloadable: session.is_downloadable,
            expires_at: session.expires_at,
        }
    }
}

impl From<PlaySession> for PlaySessionRecord {
    fn from(mut session: PlaySession) -> Self {
        Self {
            creator_id: session.creator_id,
            organization_index: session.organization_index.take(),
            metadata: std::mem::take(&mut session.metadata),
            core: session.into(),
        }
    }
}

impl From<Playable> for FirstTrack {
    fn from(playable: Playable) -> Self {
        Self { track_id: playable.track.track.id, playback: playable.into() }
    }
}

impl From<OpenedPlaySession> for OpenedBody {
    fn from(OpenedPlaySession { session, tracks, first }: OpenedPlaySession) -> Self {
        Self {
            play_session_id: session.id,
            play_session: session.into(),
            tracks: tracks.into_iter().map(Into::into).collect(),
            first_track: first.map(Into::into),
        }
    }
}
