//! `GET /v1/play_session/{play_session_id}`

use axum::extract::State;
use axum::response::Response;
use tonearm_domain::PlaySessionId;
use tonearm_service::Playback;

use crate::error::ApiError;
use crate::extract::{PathId, PlaySessionReader};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, OpenedBody, opened};

/// Returns a play session with its tracks. Requires a key, unless the server sets `api.public_play_sessions`.
#[utoipa::path(
    get,
    path = "/play_session/{play_session_id}",
    tag = "Play sessions",
    operation_id = "read_play_session",
    params(("play_session_id" = PlaySessionId, Path)),
    responses((status = 200, body = Answer<OpenedBody>, description = "The session, its playable tracks, and everything needed to play the first one.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    reader: PlaySessionReader,
    PathId(id): PathId<PlaySessionId>,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Response, ApiError> {
    let found = match reader {
        PlaySessionReader::Key(caller) => playback.play_session(&caller, id).await?,
        PlaySessionReader::Holder => playback.public_play_session(id).await?,
    };
    opened(request, found, None)
}
