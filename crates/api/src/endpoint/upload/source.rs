//! `PUT /upload/{organization_id}/{track_id}/source`

use axum::extract::{OriginalUri, Request, State};
use axum::response::{IntoResponse, Response};
use tonearm_domain::{OrganizationId, Origin, TrackId};

use super::accepted::AcceptedSource;
use super::intake::{chunks, refuse};
use super::resumable::create::{Received, create};
use super::resumable::fields::is_complete;
use crate::address::address;
use crate::app::App;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{SourceUpload, whole_terms};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Uploads the file of a track, of any content type, up to the size limit. The response is sent once the bytes are durably stored. With the header `Upload-Complete`,
/// the upload can be resumed: if it breaks off, `HEAD` returns how much has arrived, and `PATCH` sends the rest. With `?0`, the file continues in further requests.
#[utoipa::path(
    put,
    path = "/{organization_id}/{track_id}/source",
    tag = "Upload URLs",
    operation_id = "upload_source",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
    ),
    request_body(content = [u8], content_type = "application/octet-stream"),
    security(("upload_signature" = [])),
    responses(
        (status = 200, body = Answer<AcceptedSource>, description = "The bytes are durably stored, and the track is being processed."),
        (status = 201, body = Answer<Received>, description = "The bytes are durably stored. Send the rest with `PATCH`."),
        (status = 409, body = ErrorBody, description = "The URL has already been used; the track has a source file."),
    ),
)]
pub(crate) async fn source(
    upload: Result<SourceUpload, ApiError>,
    current: CurrentRequest,
    OriginalUri(location): OriginalUri,
    State(app): State<App>,
    request: Request,
) -> Response {
    let upload = match (upload, is_complete(request.headers())) {
        (Ok(upload), Some(is_last)) => return create(app, upload, current, location, is_last, request).await,
        (upload, _) => upload,
    };
    let (uploads, settings) = (&app.uploads, &app.settings);
    let (parts, body) = request.into_parts();
    let mut body = chunks(body, settings.upload_idle_timeout);
    let accepted = async {
        let SourceUpload(slot) = upload?;
        let terms = whole_terms(&parts.headers)?;
        let origin = Origin::uploader(None, address(&parts.extensions));
        Ok::<_, ApiError>(uploads.accept_source(origin, slot, &mut body, terms).await?)
    };
    match accepted.await {
        Ok(accepted) => Answer::traced(current, AcceptedSource::from(accepted)).into_response(),
        Err(error) => refuse(error, &parts.headers, body).await,
    }
}
