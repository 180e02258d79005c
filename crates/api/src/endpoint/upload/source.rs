//! `PUT /upload/{organization_id}/{track_id}/source`

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use tonearm_domain::{OrganizationId, Origin, TrackId};
use tonearm_service::{AcceptedUpload, Uploads};
use utoipa::ToSchema;

use super::intake::{chunks, refuse};
use crate::error::ErrorBody;
use crate::extract::{SourceUpload, address, upload_terms};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;
use crate::{ApiError, ApiSettings};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::source::Accepted)]
struct Accepted {
    track_id: TrackId,
    size: u64,
    /// Hex.
    sha256: String,
}

impl From<AcceptedUpload> for Accepted {
    fn from(upload: AcceptedUpload) -> Self {
        Self { track_id: upload.track_id, size: upload.size, sha256: hex::encode(upload.sha256) }
    }
}

/// Takes the bytes of a track, of any type and size up to the limit, and answers once they are durable.
#[utoipa::path(
    put,
    path = "/upload/{organization_id}/{track_id}/source",
    tag = "Upload URLs",
    operation_id = "upload_source",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Seconds the URL can be used; signed."),
    ),
    request_body(content = [u8], content_type = "application/octet-stream"),
    security(("upload_signature" = [])),
    responses(
        (status = 200, body = Answer<Accepted>, description = "The bytes are durable, and the track is being processed."),
        (status = 409, body = ErrorBody, description = "The URL was used already; the track has its source."),
    ),
)]
pub(crate) async fn source(
    upload: Result<SourceUpload, ApiError>,
    current: CurrentRequest,
    State(uploads): State<Uploads>,
    State(settings): State<ApiSettings>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let mut body = chunks(body, settings.upload_idle_timeout);
    let accepted = async {
        let SourceUpload { organization_id, track_id } = upload?;
        let terms = upload_terms(&parts.headers)?;
        let origin = Origin::uploader(address(&parts));
        Ok(uploads.accept_source(origin, organization_id, track_id, &mut body, terms).await?)
    };
    match accepted.await {
        Ok(accepted) => Answer::traced(current, Accepted::from(accepted)).into_response(),
        Err(error) => refuse(error, &parts.headers, body).await,
    }
}
