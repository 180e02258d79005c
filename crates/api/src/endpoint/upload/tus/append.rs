//! `PATCH /upload/tus/{upload_id}`

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method, StatusCode};
use tonearm_domain::{ErrorCode, Origin, UploadId};

use super::checksum::checksum;
use super::fields::{self, OFFSET_STREAM};
use super::terminate::terminate;
use crate::address::address;
use crate::app::App;
use crate::endpoint::upload::intake::refuse_unread;
use crate::endpoint::upload::resumable::fields::{UPLOAD_LENGTH, UPLOAD_OFFSET};
use crate::endpoint::upload::resumable::sending::{self, Sent};
use crate::error::{ApiError, ErrorBody};
use crate::extract::PathId;

/// The tus status for a checksum mismatch.
const CHECKSUM_MISMATCH: u16 = 460;

/// The response to a refused piece, with the status that tus defines.
pub(super) struct RefusedPiece(pub(super) Response);

impl IntoResponse for RefusedPiece {
    fn into_response(mut self) -> Response {
        let is_mismatch = self
            .0
            .extensions()
            .get::<ApiError>()
            .is_some_and(|error| error.code() == ErrorCode::ChecksumMismatch);
        if is_mismatch
            && let Ok(status) = StatusCode::from_u16(CHECKSUM_MISMATCH)
            && let Some(error) = self.0.extensions_mut().remove::<ApiError>()
        {
            self.0.extensions_mut().insert(error.with_status(status));
            *self.0.status_mut() = status;
        }
        self.0
    }
}

/// Appends bytes to a tus upload. If the request breaks off, what has arrived is kept, unless it has a checksum.
#[utoipa::path(
    patch,
    path = "/tus/{upload_id}",
    tag = "Upload URLs",
    operation_id = "append_to_tus_upload",
    params(
        ("upload_id" = UploadId, Path),
        ("Tus-Resumable" = String, Header, description = "`1.0.0`"),
        ("Upload-Offset" = u64, Header, description = "Where these bytes begin."),
        ("Upload-Length" = Option<u64>, Header, description = "The size of the file, if it was not known at first."),
        ("Upload-Checksum" = Option<String>, Header, description = "An algorithm (sha1, sha256, md5, crc32) and the base64 of the digest of this body."),
    ),
    request_body(content = [u8], content_type = "application/offset+octet-stream"),
    responses(
        (status = 204, description = "The bytes are stored. After the last ones, processing of the track starts."),
        (status = 404, body = ErrorBody, description = "There is no such upload."),
        (status = 409, body = ErrorBody, description = "The bytes do not begin at the offset of the upload, which the header `Upload-Offset` gives; or the upload is complete."),
        (status = 410, body = ErrorBody, description = "The upload has expired."),
        (status = 412, body = ErrorBody, description = "The header `Tus-Resumable` is not `1.0.0`."),
        (status = 415, body = ErrorBody, description = "The content type is not `application/offset+octet-stream`."),
        (status = 423, body = ErrorBody, description = "Another request is still sending bytes."),
        (status = 460, body = ErrorBody, description = "The bytes do not match their checksum. None of them were kept."),
    ),
)]
pub(crate) async fn append(
    id: Result<PathId<UploadId>, ApiError>,
    State(app): State<App>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let (id, sent) = match id.and_then(|PathId(id)| Ok((id, prepare(&parts.headers)?))) {
        Ok(prepared) => prepared,
        Err(error) => return refuse_unread(error, &app.settings, (&parts.headers, body)).await,
    };
    let origin = Origin::uploader(None, address(&parts.extensions));
    let state = (app.uploads.clone(), app.settings.clone());
    match sending::append(state, origin, id, sent, (parts.headers, body)).await {
        Ok(progress) => {
            let mut response = StatusCode::NO_CONTENT.into_response();
            fields::describe(response.headers_mut(), &progress.upload);
            response
        }
        Err(response) => RefusedPiece(response).into_response(),
    }
}

fn prepare(headers: &HeaderMap) -> Result<Sent, ApiError> {
    if headers.get(CONTENT_TYPE).is_none_or(|value| value != OFFSET_STREAM) {
        let message = format!("the content type must be {OFFSET_STREAM}");
        return Err(ApiError::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            ErrorCode::UnsupportedMediaType,
            message,
        ));
    }
    let offset = fields::bytes(headers, &UPLOAD_OFFSET)?
        .ok_or_else(|| ApiError::invalid("Upload-Offset", "must be the number of bytes sent so far"))?;
    let length = fields::bytes(headers, &UPLOAD_LENGTH)?;
    Ok(Sent { offset, length, is_last: false, check: checksum(headers)?, announcements: None })
}

/// `PATCH` and `DELETE` for clients that can send only `POST` (`X-HTTP-Method-Override`).
pub(crate) async fn overridden(
    id: Result<PathId<UploadId>, ApiError>,
    State(app): State<App>,
    request: Request,
) -> Response {
    let method = request.headers().get("x-http-method-override").map(|value| value.as_bytes().to_owned());
    match method.as_deref().and_then(|method| Method::from_bytes(method).ok()) {
        Some(Method::PATCH) => append(id, State(app), request).await,
        Some(Method::DELETE) => match id {
            Ok(id) => terminate(id, State(app)).await.into_response(),
            Err(error) => error.into_response(),
        },
        _ => ApiError::method_not_allowed().into_response(),
    }
}
