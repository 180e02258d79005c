//! `DELETE /v1/upload_session/{upload_session_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::UploadSessionId;
use tonearm_service::Uploads;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListedUploadSession};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload_session::end::Ended)]
pub(crate) struct Ended {
    /// The session as it was.
    ended_upload_session: ListedUploadSession,
}

/// Ends an upload session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
/// on all nodes. Upload URLs that it handed out stay valid until they expire.
#[utoipa::path(
    delete,
    path = "/upload_session/{upload_session_id}",
    tag = "Upload sessions",
    operation_id = "end_upload_session",
    params(("upload_session_id" = UploadSessionId, Path, description = "The id or the handle of the session.")),
    responses((status = 200, body = Answer<Ended>, description = "The session as it was.")),
    security(("api_key" = [])),
)]
pub(crate) async fn end(
    ManageKey(caller): ManageKey,
    PathId(name): PathId<UploadSessionId>,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
) -> Result<Answer<Ended>, ApiError> {
    let ended_upload_session = uploads.end_upload_session(&caller, name.uuid()).await?.into();
    Ok(Answer::traced(request, Ended { ended_upload_session }))
}
