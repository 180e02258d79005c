//! `HEAD /upload/tus/{upload_id}`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::request::Parts;
use tonearm_domain::{Origin, UploadId};

use super::fields;
use crate::address::address;
use crate::app::App;
use crate::endpoint::upload::resumable::refusal::UploadError;
use crate::extract::PathId;

/// Returns in `Upload-Offset` how many bytes of a tus upload are stored. A request that is still sending is stopped, so that the
/// upload can be continued from there. If all bytes are stored, the upload is complete.
#[utoipa::path(
    head,
    path = "/tus/{upload_id}",
    tag = "Upload URLs",
    operation_id = "tus_upload_offset",
    params(
        ("upload_id" = UploadId, Path),
        ("Tus-Resumable" = String, Header, description = "`1.0.0`"),
    ),
    responses(
        (status = 200, description = "The state of the upload."),
        (status = 404, description = "There is no such upload."),
        (status = 410, description = "The upload has expired."),
        (status = 412, description = "The header `Tus-Resumable` is not `1.0.0`."),
        (status = 423, description = "Another request is still sending bytes."),
    ),
)]
pub(crate) async fn offset(
    PathId(id): PathId<UploadId>,
    State(app): State<App>,
    parts: Parts,
) -> Result<Response, UploadError> {
    let origin = Origin::uploader(None, address(&parts.extensions));
    let upload = app.uploads.settled_upload(origin, id).await?;
    let mut response = StatusCode::OK.into_response();
    fields::describe_whole(response.headers_mut(), &upload);
    Ok(response)
}
