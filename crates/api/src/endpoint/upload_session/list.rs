//! `GET /v1/upload_session`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::SessionHandle;
use tonearm_service::Uploads;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, Sessions, SessionsText};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListedUploadSession};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::list::Listed)]
pub(crate) struct Listed {
    upload_sessions: Vec<ListedUploadSession>,
    /// The `cursor` of the next page; null on the last one.
    next_cursor: Option<SessionHandle>,
}

/// Lists the upload sessions that are valid now, the newest first. Their ids are credentials and are not shown.
#[utoipa::path(
    get,
    path = "/upload_session",
    tag = "Upload sessions",
    operation_id = "list_upload_sessions",
    params(SessionsText),
    responses((status = 200, body = Answer<Listed>, description = "A page of results.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    page: Sessions,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
) -> Result<Answer<Listed>, ApiError> {
    let rows = uploads.upload_sessions(&caller, page.0).await?;
    let (rows, next_cursor) = page.cut(rows, |session| session.handle);
    let upload_sessions = rows.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { upload_sessions, next_cursor }))
}
