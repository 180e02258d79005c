//! Play sessions.

use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CreatorId, Metadata, PlaySession, PlaySessionId, Timestamp, TrackId, VariantIndex};
use tonearm_service::{OpenedPlaySession, Playable, Refusal};
use utoipa::ToSchema;

use super::{Answer, ListedTrack, LongList, PlaybackData};
use crate::error::ApiError;
use crate::request_id::CurrentRequest;

/// The fields of every record of a play session. The response for a single track has only these.
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

/// The response to creating and reading a play session.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "describes what the parts make together")]
pub(crate) struct OpenedBody {
    play_session_id: PlaySessionId,
    play_session: PlaySessionRecord,
    tracks: Vec<ListedTrack>,
    /// Null if no track is playable.
    first_track: Option<FirstTrack>,
}

/// The fields before the tracks.
#[derive(Debug, Serialize)]
pub(crate) struct OpenedHead {
    play_session_id: PlaySessionId,
    play_session: PlaySessionRecord,
}

/// The fields after the tracks.
#[derive(Debug, Serialize)]
pub(crate) struct OpenedTail {
    first_track: Option<FirstTrack>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<Timestamp>,
}

/// The response to a request that opens a play session. It contains `expires_at` only if one is given.
pub(crate) fn opened(
    request: CurrentRequest,
    OpenedPlaySession { session, tracks, first }: OpenedPlaySession,
    expires_at: Option<Timestamp>,
) -> Result<Response, ApiError> {
    let head = OpenedHead { play_session_id: session.id, play_session: session.into() };
    let tail = OpenedTail { first_track: first.map(Into::into), expires_at };
    let list = LongList { name: "tracks", elements: tracks.chunks(), len: tracks.len() };
    list.answer(&Answer::traced(request, head), &tail)
        .map_err(|error| ApiError::from(Refusal::Internal(error.into())))
}

impl From<PlaySession> for PlaySessionCore {
    fn from(session: PlaySession) -> Self {
        Self {
            id: session.id,
            // The use case has set the variants. There are none only if there is nothing to play.
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
