//! `GET /v1/play_session/{play_session_id}`

use axum::extract::State;
use axum::response::Response;
use tonearm_domain::PlaySessionId;
use tonearm_service::Playback;

use crate::ApiError;
use crate::extract::{PathId, PlaySessionReader};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, OpenedBody, opened};

/// A play session with its tracks. It takes a key, unless the operator lets the session's id be enough.
#[utoipa::path(
    get,
    path = "/v1/play_session/{play_session_id}",
    tag = "Play sessions",
    operation_id = "read_play_session",
    params(("play_session_id" = PlaySessionId, Path)),
    responses((status = 200, body = Answer<OpenedBody>, description = "The session, the tracks that can be played, and all it takes to play the first.")),
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
