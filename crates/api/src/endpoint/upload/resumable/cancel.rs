//! `DELETE /upload/{organization_id}/{track_id}/source`

use axum::extract::State;
use http::StatusCode;
use tonearm_domain::{OrganizationId, PieceError, TrackId};
use tonearm_service::{UploadRefusal, UrlUpload};

use super::refusal::UploadError;
use crate::app::App;
use crate::error::ErrorBody;
use crate::extract::BegunUpload;

/// Cancels a resumable upload and removes its bytes. Another upload can be started at the URL until it expires.
#[utoipa::path(
    delete,
    path = "/{organization_id}/{track_id}/source",
    tag = "Upload URLs",
    operation_id = "cancel_source_upload",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
    ),
    security(("upload_signature" = [])),
    responses(
        (status = 204, description = "The bytes are removed."),
        (status = 404, body = ErrorBody, description = "No resumable upload was started at this URL."),
        (status = 409, body = ErrorBody, description = "The upload is complete; the track has a source file."),
        (status = 423, body = ErrorBody, description = "Another request is still sending bytes."),
    ),
)]
pub(crate) async fn cancel(
    BegunUpload(slot): BegunUpload,
    State(app): State<App>,
) -> Result<StatusCode, UploadError> {
    match app.uploads.upload_to_url(slot).await? {
        UrlUpload::Open(upload) => {
            app.uploads.remove_upload(upload.id).await?;
            Ok(StatusCode::NO_CONTENT)
        }
        UrlUpload::Complete(_) => Err(UploadRefusal::from(PieceError::Complete).into()),
    }
}
