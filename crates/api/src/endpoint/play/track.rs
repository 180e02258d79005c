//! `GET /v1/play/{play_session_id}/{play_track_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{PlaySessionId, TrackId};
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{PathId, RequestVisit};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, PlaySessionCore, PlaybackData};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play::track::Played)]
pub(crate) struct Played {
    play_session_id: PlaySessionId,
    track_id: TrackId,
    play_session: PlaySessionCore,
    #[serde(flatten)]
    playback: PlaybackData,
}

/// Returns everything needed to play one track of a session.
#[utoipa::path(
    get,
    path = "/play/{play_session_id}/{play_track_id}",
    tag = "Play sessions",
    operation_id = "play_track",
    params(("play_session_id" = PlaySessionId, Path), ("play_track_id" = TrackId, Path)),
    responses((status = 200, body = Answer<Played>, description = "Cover, waveform and signed URLs of the track.")),
)]
pub(crate) async fn track(
    PathId(session_id): PathId<PlaySessionId>,
    PathId(track_id): PathId<TrackId>,
    visit: RequestVisit,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Answer<Played>, ApiError> {
    let (session, playable) = playback.play_track(session_id, track_id, visit.counted().as_ref()).await?;
    let played = Played {
        play_session_id: session_id,
        track_id,
        play_session: session.into(),
        playback: playable.into(),
    };
    Ok(Answer::traced(request, played))
}
