//! `GET /v1/play/{play_session_id}/{play_track_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{PlaySessionId, TrackId};
use tonearm_service::Playback;

use crate::ApiError;
use crate::extract::PathId;
use crate::shapes::{Answer, PlaySessionCore, PlaybackData};

#[derive(Debug, Serialize)]
pub(crate) struct Played {
    play_session_id: PlaySessionId,
    track_id: TrackId,
    play_session: PlaySessionCore,
    #[serde(flatten)]
    playback: PlaybackData,
}

/// All it takes to play one track of a session.
pub(crate) async fn track(
    PathId(session_id): PathId<PlaySessionId>,
    PathId(track_id): PathId<TrackId>,
    State(playback): State<Playback>,
) -> Result<Answer<Played>, ApiError> {
    let (session, playable) = playback.play_track(session_id, track_id).await?;
    Ok(Answer::plain(Played {
        play_session_id: session_id,
        track_id,
        play_session: session.into(),
        playback: playable.into(),
    }))
}
