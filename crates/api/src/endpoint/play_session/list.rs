//! `GET /v1/play_session`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::SessionHandle;
use tonearm_service::Playback;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, Sessions, SessionsText};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListedPlaySession};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = play_session::list::Listed)]
pub(crate) struct Listed {
    play_sessions: Vec<ListedPlaySession>,
    /// The `cursor` of the next page; null on the last one.
    next_cursor: Option<SessionHandle>,
}

/// Lists the play sessions that are valid now, the newest first. Their ids are credentials and are not shown.
#[utoipa::path(
    get,
    path = "/play_session",
    tag = "Play sessions",
    operation_id = "list_play_sessions",
    params(SessionsText),
    responses((status = 200, body = Answer<Listed>, description = "A page of results.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    page: Sessions,
    request: CurrentRequest,
    State(playback): State<Playback>,
) -> Result<Answer<Listed>, ApiError> {
    let rows = playback.play_sessions(&caller, page.0).await?;
    let (rows, next_cursor) = page.cut(rows, |session| session.handle);
    let play_sessions = rows.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { play_sessions, next_cursor }))
}
