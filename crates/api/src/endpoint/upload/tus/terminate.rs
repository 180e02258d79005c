//! `DELETE /upload/tus/{upload_id}`

use axum::extract::State;
use http::StatusCode;
use tonearm_domain::UploadId;

use crate::app::App;
use crate::endpoint::upload::resumable::refusal::UploadError;
use crate::error::ErrorBody;
use crate::extract::PathId;

/// Removes a tus upload and its bytes. If the upload is complete, only its record is removed and the track is kept.
#[utoipa::path(
    delete,
    path = "/tus/{upload_id}",
    tag = "Upload URLs",
    operation_id = "terminate_tus_upload",
    params(
        ("upload_id" = UploadId, Path),
        ("Tus-Resumable" = String, Header, description = "`1.0.0`"),
    ),
    responses(
        (status = 204, description = "The upload is removed."),
        (status = 404, body = ErrorBody, description = "There is no such upload."),
        (status = 410, body = ErrorBody, description = "The upload has expired."),
        (status = 412, body = ErrorBody, description = "The header `Tus-Resumable` is not `1.0.0`."),
        (status = 423, body = ErrorBody, description = "Another request is still sending bytes."),
    ),
)]
pub(crate) async fn terminate(
    PathId(id): PathId<UploadId>,
    State(app): State<App>,
) -> Result<StatusCode, UploadError> {
    app.uploads.remove_upload(id).await?;
    Ok(StatusCode::NO_CONTENT)
}
