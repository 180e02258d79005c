//! `PATCH /upload/{organization_id}/{track_id}/source`

use axum::extract::{Request, State};
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use tonearm_domain::{ErrorCode, OrganizationId, Origin, PieceError, TrackId, UploadId};
use tonearm_service::{UploadRefusal, UrlUpload};

use super::create::answer;
use super::fields::{self, PARTIAL_UPLOAD};
use super::interim::Announcements;
use super::refusal::UploadError;
use super::sending::{self, Sent};
use crate::address::address;
use crate::app::App;
use crate::endpoint::upload::accepted::AcceptedSource;
use crate::endpoint::upload::intake::refuse_unread;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{BegunUpload, piece_check};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Continues an upload that was begun with `PUT` and `Upload-Complete`, from the offset that `HEAD` returns. If the request
/// breaks off, what has arrived is kept.
#[utoipa::path(
    patch,
    path = "/{organization_id}/{track_id}/source",
    tag = "Upload URLs",
    operation_id = "append_to_source",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
        ("Upload-Offset" = u64, Header, description = "Where these bytes begin."),
        ("Upload-Complete" = String, Header, description = "`?1` if the file ends with these bytes, else `?0`."),
    ),
    request_body(content = [u8], content_type = "application/partial-upload"),
    security(("upload_signature" = [])),
    responses(
        (status = 200, body = Answer<AcceptedSource>, description = "The file is complete and durably stored, and the track is being processed."),
        (status = 204, description = "The bytes are durably stored. More are expected."),
        (status = 404, body = ErrorBody, description = "No resumable upload was started at this URL."),
        (status = 409, body = ErrorBody, description = "The bytes do not begin at the offset of the upload, which the header `Upload-Offset` gives; or the upload is complete."),
        (status = 410, body = ErrorBody, description = "The upload has expired."),
        (status = 415, body = ErrorBody, description = "The content type is not `application/partial-upload`."),
        (status = 423, body = ErrorBody, description = "Another request is still sending bytes."),
    ),
)]
pub(crate) async fn append(
    upload: Result<BegunUpload, ApiError>,
    current: CurrentRequest,
    State(app): State<App>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let prepared = prepare(&app, upload, &parts.headers).await;
    let (track_id, id, mut sent) = match prepared {
        Ok(prepared) => prepared,
        Err(error) => return refuse_unread(error, &app.settings, (&parts.headers, body)).await,
    };
    sent.announcements = Announcements::of(&parts);
    let origin = Origin::uploader(None, address(&parts.extensions));
    let state = (app.uploads.clone(), app.settings.clone());
    match sending::append(state, origin, id, sent, (parts.headers, body)).await {
        Ok(progress) => answer(&app, current, track_id, progress, StatusCode::NO_CONTENT),
        Err(response) => response,
    }
}

async fn prepare(
    app: &App,
    upload: Result<BegunUpload, ApiError>,
    headers: &HeaderMap,
) -> Result<(TrackId, UploadId, Sent), UploadError> {
    let BegunUpload(slot) = upload?;
    if headers.get(CONTENT_TYPE).is_none_or(|value| value.as_bytes() != PARTIAL_UPLOAD.as_bytes()) {
        let message = format!("the content type must be {PARTIAL_UPLOAD}");
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::UnsupportedMediaType,
            message,
        )
        .into());
    }
    let offset = fields::bytes(headers, &fields::UPLOAD_OFFSET)
        .ok_or_else(|| ApiError::invalid("Upload-Offset", "must be the number of bytes sent so far"))?;
    let is_last = fields::is_complete(headers)
        .ok_or_else(|| ApiError::invalid("Upload-Complete", "must be ?1 for the last bytes, else ?0"))?;
    let check = piece_check(headers)?;
    let length = fields::bytes(headers, &fields::UPLOAD_LENGTH);
    match app.uploads.upload_to_url(slot).await? {
        UrlUpload::Open(upload) => {
            Ok((slot.track_id, upload.id, Sent { offset, length, is_last, check, announcements: None }))
        }
        UrlUpload::Complete(_) => Err(UploadRefusal::from(PieceError::Complete).into()),
    }
}
