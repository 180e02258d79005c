//! `POST /upload/tus`

use axum::extract::{OriginalUri, Request, State};
use axum::response::{IntoResponse, Response};
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use std::net::IpAddr;
use tonearm_domain::{Origin, Upload, UploadId, UploadKind};
use tonearm_service::{BeginUpload, PieceCheck};

use super::append::RefusedPiece;
use super::checksum::checksum;
use super::fields::{self, OFFSET_STREAM, UPLOAD_CONCAT, UPLOAD_DEFER_LENGTH};
use super::metadata::UploadMetadata;
use super::permit::permit;
use crate::address::address;
use crate::app::App;
use crate::endpoint::upload::intake::refuse_unread;
use crate::endpoint::upload::resumable::fields::UPLOAD_LENGTH;
use crate::endpoint::upload::resumable::refusal::UploadError;
use crate::endpoint::upload::resumable::sending::{Sent, append};
use crate::error::{ApiError, ErrorBody};

/// The role of an upload in a concatenation (`Upload-Concat`).
enum Concat {
    WholeNumber,
    Partial,
    Final(Vec<UploadId>),
}

/// Creates an upload with the tus protocol, version 1.0.0. The credential is in `Upload-Metadata` or the query: `upload_session_id`, which
/// creates a track with the given `filename`, or the `upload_url` of a track. The response has the track's id in `Tonearm-Track-Id`.
#[utoipa::path(
    post,
    path = "/tus",
    tag = "Upload URLs",
    operation_id = "create_tus_upload",
    params(
        ("Tus-Resumable" = String, Header, description = "`1.0.0`"),
        ("Upload-Length" = Option<u64>, Header, description = "The size of the file in bytes; or send `Upload-Defer-Length: 1`."),
        ("Upload-Metadata" = Option<String>, Header, description = "Keys and base64 values: `upload_session_id` or `upload_url`, `filename`, `organization_index`, `metadata` (JSON)."),
        ("Upload-Concat" = Option<String>, Header, description = "`partial`, or `final;` and the URLs of complete partial uploads."),
    ),
    responses(
        (status = 201, description = "The upload, at the URL in `Location`."),
        (status = 401, body = ErrorBody, description = "The upload session or upload URL is missing, invalid or expired."),
        (status = 412, body = ErrorBody, description = "The header `Tus-Resumable` is not `1.0.0`."),
    ),
)]
pub(crate) async fn create(
    OriginalUri(uri): OriginalUri,
    State(app): State<App>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let from = address(&parts.extensions);
    let (upload, check) = match begin(&app, &uri, from, &parts.headers).await {
        Ok(begun) => begun,
        Err(error) => return refuse_unread(error, &app.settings, (&parts.headers, body)).await,
    };
    let location = HeaderValue::try_from(app.uploads.tus_url(upload.id));
    let has_bytes = parts.headers.get(CONTENT_TYPE).is_some_and(|value| value == OFFSET_STREAM);
    let upload = if has_bytes && upload.is_receiving() {
        let sent = Sent { offset: 0, length: None, is_last: false, check, announcements: None };
        let state = (app.uploads.clone(), app.settings.clone());
        match append(state, Origin::uploader(None, from), upload.id, sent, (parts.headers, body)).await {
            Ok(progress) => progress.upload,
            Err(response) => return RefusedPiece(response).into_response(),
        }
    } else {
        upload
    };
    let mut response = StatusCode::CREATED.into_response();
    fields::describe(response.headers_mut(), &upload);
    if let Ok(location) = location {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

async fn begin(
    app: &App,
    uri: &Uri,
    address: Option<IpAddr>,
    headers: &HeaderMap,
) -> Result<(Upload, Option<Box<dyn PieceCheck>>), UploadError> {
    let metadata = UploadMetadata::read(headers)?;
    let permit = permit(app, uri, &metadata, address)?;
    let check = checksum(headers)?;
    let concat = concat(headers)?;
    let kind = if matches!(concat, Concat::Partial) { UploadKind::Partial } else { UploadKind::Tus };
    let length = fields::bytes(headers, &UPLOAD_LENGTH)?;
    let begin = BeginUpload { kind, length, sha256: None, metadata: metadata.stored };
    if let Concat::Final(parts) = concat {
        let joined = app.uploads.join_uploads(Origin::uploader(None, address), permit, parts, begin).await?;
        return Ok((joined, None));
    }
    let is_deferred = headers.get(UPLOAD_DEFER_LENGTH).is_some_and(|value| value == "1");
    if length.is_some() == is_deferred {
        let message =
            "must be the size of the file in bytes; send `Upload-Defer-Length: 1` instead if it is not known";
        return Err(ApiError::invalid("Upload-Length", message).into());
    }
    Ok((app.uploads.begin_upload(permit, begin).await?, check))
}

fn concat(headers: &HeaderMap) -> Result<Concat, ApiError> {
    let Some(value) = headers.get(UPLOAD_CONCAT) else { return Ok(Concat::WholeNumber) };
    let wrong = || {
        ApiError::invalid(
            "Upload-Concat",
            "must be `partial`, or `final;` followed by URLs of partial uploads, separated by spaces",
        )
    };
    let text = value.to_str().map_err(|_| wrong())?.trim();
    if text == "partial" {
        return Ok(Concat::Partial);
    }
    let urls = text.strip_prefix("final;").ok_or_else(wrong)?;
    let id = |url: &str| url.trim_end_matches('/').rsplit('/').next()?.parse().ok();
    let ids = urls.split_ascii_whitespace().map(|url| id(url).ok_or_else(wrong));
    ids.collect::<Result<_, _>>().map(Concat::Final)
}
