//! `HEAD /upload/{organization_id}/{track_id}/source`

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::header::CACHE_CONTROL;
use http::{HeaderValue, StatusCode};
use tonearm_domain::{OrganizationId, TrackId};
use tonearm_service::UrlUpload;

use super::fields;
use super::refusal::UploadError;
use crate::app::App;
use crate::extract::BegunUpload;

/// Returns in `Upload-Offset` how many bytes of a resumable upload are stored. A request that is still sending is stopped, so
/// that the upload can be continued from there. This also works if the URL has expired since the upload started.
#[utoipa::path(
    head,
    path = "/{organization_id}/{track_id}/source",
    tag = "Upload URLs",
    operation_id = "source_upload_offset",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
    ),
    security(("upload_signature" = [])),
    responses(
        (status = 204, description = "The state of the upload, in `Upload-Offset`, `Upload-Length` and `Upload-Complete`."),
        (status = 404, description = "No resumable upload was started at this URL."),
        (status = 410, description = "The upload has expired."),
        (status = 423, description = "Another request is still sending bytes."),
    ),
)]
pub(crate) async fn offset(
    BegunUpload(slot): BegunUpload,
    State(app): State<App>,
) -> Result<Response, UploadError> {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    match app.uploads.upload_to_url(slot).await? {
        UrlUpload::Open(upload) => {
            fields::describe(headers, &upload, app.uploads.max_source_bytes(), app.ambient.now());
        }
        UrlUpload::Complete(size) => {
            headers.insert(fields::UPLOAD_COMPLETE, HeaderValue::from_static("?1"));
            headers.insert(fields::UPLOAD_OFFSET, size.into());
            headers.insert(fields::UPLOAD_LENGTH, size.into());
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
    }
    Ok(response)
}
