//! `GET /v1/upload_session/{upload_session_id}`

use axum::extract::State;
use tonearm_domain::UploadSessionId;
use tonearm_service::Uploads;

use crate::error::ApiError;
use crate::extract::PathId;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, UploadSessionBody};

/// Returns an upload session. Its id is the credential.
#[utoipa::path(
    get,
    path = "/upload_session/{upload_session_id}",
    tag = "Upload sessions",
    operation_id = "read_upload_session",
    params(("upload_session_id" = UploadSessionId, Path)),
    responses((status = 200, body = Answer<UploadSessionBody>, description = "The session.")),
)]
pub(crate) async fn read(
    PathId(id): PathId<UploadSessionId>,
    request: CurrentRequest,
    State(uploads): State<Uploads>,
) -> Result<Answer<UploadSessionBody>, ApiError> {
    Ok(Answer::traced(request, uploads.upload_session(id).await?.into()))
}
