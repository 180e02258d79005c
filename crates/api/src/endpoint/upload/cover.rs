//! `POST /upload/{organization_id}/{track_id}/cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CoverOwner, OrganizationId, TrackId};
use tonearm_service::Uploads;
use utoipa::ToSchema;

use super::picture::{Permit, PictureForm, accept};
use crate::app::ApiSettings;
use crate::error::ApiError;
use crate::extract::CoverUpload;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::cover::Accepted)]
struct Accepted {
    track_id: TrackId,
}

/// Uploads the cover of a track, as the form field `file` or as the raw body.
#[utoipa::path(
    post,
    path = "/{organization_id}/{track_id}/cover",
    tag = "Upload URLs",
    operation_id = "upload_cover",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
    ),
    request_body(content(([u8] = "application/octet-stream"), (PictureForm = "multipart/form-data"))),
    security(("upload_signature" = [])),
    responses((status = 200, body = Answer<Accepted>, description = "The cover was set.")),
)]
pub(crate) async fn cover(
    upload: Result<CoverUpload, ApiError>,
    current: CurrentRequest,
    State(uploads): State<Uploads>,
    State(settings): State<ApiSettings>,
    request: Request,
) -> Response {
    let permit = upload.map(|CoverUpload { organization_id, track_id }| Permit {
        organization_id,
        owner: CoverOwner::Track(track_id),
        answer: Accepted { track_id },
    });
    accept(permit, current, uploads, settings, request).await
}
