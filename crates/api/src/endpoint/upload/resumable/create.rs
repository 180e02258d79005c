//! `PUT` to an upload URL with `Upload-Complete`: the upload is resumable.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, HeaderValue, StatusCode, Uri};
use serde::Serialize;
use tonearm_domain::{Origin, SourceSlot, TrackId, Upload, UploadKind};
use tonearm_service::{BeginUpload, PieceCheck, UploadPermit, UploadProgress};
use utoipa::ToSchema;

use super::fields;
use super::interim::Announcements;
use super::refusal::UploadError;
use super::sending::{Sent, append};
use crate::address::address;
use crate::app::App;
use crate::endpoint::upload::accepted::AcceptedSource;
use crate::endpoint::upload::intake::refuse_unread;
use crate::extract::{SourceUpload, piece_check, upload_terms};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// How much of an upload has arrived.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::resumable::Received)]
pub(crate) struct Received {
    track_id: TrackId,
    /// Number of bytes that are durably stored.
    upload_offset: u64,
}

/// Begins a resumable upload at an upload URL, which replaces an earlier one, and reads the first bytes.
pub(crate) async fn create(
    app: App,
    upload: SourceUpload,
    current: CurrentRequest,
    location: Uri,
    is_last: bool,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let SourceUpload(slot) = upload;
    let begun = begin(&app, slot, is_last, &parts.headers).await;
    let (begun, check) = match begun {
        Ok(begun) => begun,
        Err(error) => return refuse_unread(error, &app.settings, (&parts.headers, body)).await,
    };
    let location = HeaderValue::try_from(location.to_string()).ok();
    let announcements = Announcements::of(&parts);
    if let (Some(to), Some(location)) = (&announcements, &location) {
        to.begun(location, fields::limits_of(&begun, app.uploads.max_source_bytes(), app.ambient.now()));
    }
    let sent = Sent { offset: 0, length: begun.length, is_last, check, announcements };
    let origin = Origin::uploader(None, address(&parts.extensions));
    let state = (app.uploads.clone(), app.settings.clone());
    match append(state, origin, begun.id, sent, (parts.headers, body)).await {
        Ok(progress) => {
            let mut response = answer(&app, current, slot.track_id, progress, StatusCode::CREATED);
            if let Some(location) = location {
                response.headers_mut().insert(LOCATION, location);
            }
            response
        }
        Err(response) => response,
    }
}

async fn begin(
    app: &App,
    slot: SourceSlot,
    is_last: bool,
    headers: &HeaderMap,
) -> Result<(Upload, Option<Box<dyn PieceCheck>>), UploadError> {
    let terms = upload_terms(headers)?;
    let check = piece_check(headers)?;
    let announced = fields::bytes(headers, &fields::UPLOAD_LENGTH);
    let begin = BeginUpload {
        kind: UploadKind::Url,
        length: announced.or(terms.size.filter(|_| is_last)),
        sha256: terms.sha256,
        metadata: None,
    };
    let permit = UploadPermit::Track(slot);
    Ok((app.uploads.begin_upload(permit, begin).await?, check))
}

/// The response to a piece: the same as to any upload if it was the last piece, otherwise the progress of the upload.
pub(super) fn answer(
    app: &App,
    current: CurrentRequest,
    track_id: TrackId,
    progress: UploadProgress,
    received: StatusCode,
) -> Response {
    let UploadProgress { upload, accepted } = progress;
    let mut response = match accepted {
        Some(accepted) => Answer::traced(current, AcceptedSource::from(accepted)).into_response(),
        None if received == StatusCode::NO_CONTENT => received.into_response(),
        None => {
            let body = Received { track_id, upload_offset: upload.offset };
            (received, Answer::traced(current, body)).into_response()
        }
    };
    fields::describe(response.headers_mut(), &upload, app.uploads.max_source_bytes(), app.ambient.now());
    response
}
