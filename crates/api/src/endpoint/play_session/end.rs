//! `DELETE /v1/play_session/{play_session_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::PlaySessionId;
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListedPlaySession};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play_session::end::Ended)]
pub(crate) struct Ended {
    /// The session as it was.
    ended_play_session: ListedPlaySession,
}

/// Ends a play session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
/// on all nodes. Signed URLs that it handed out stay valid until they expire.
#[utoipa::path(
    delete,
    path = "/play_session/{play_session_id}",
    tag = "Play sessions",
    operation_id = "end_play_session",
    params(("play_session_id" = PlaySessionId, Path, description = "The id or the handle of the session.")),
    responses((status = 200, body = Answer<Ended>, description = "The session as it was.")),
    security(("api_key" = [])),
)]
pub(crate) async fn end(
    ManageKey(caller): ManageKey,
    PathId(name): PathId<PlaySessionId>,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Answer<Ended>, ApiError> {
    let ended_play_session = playback.end_play_session(&caller, name.uuid()).await?.into();
    Ok(Answer::traced(request, Ended { ended_play_session }))
}
