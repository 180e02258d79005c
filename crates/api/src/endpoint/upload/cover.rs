//! `POST /upload/{organization_id}/{track_id}/cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CoverOwner, OrganizationId, TrackId};
use tonearm_service::Uploads;
use utoipa::ToSchema;

use super::picture::{Permit, PictureForm, accept};
use crate::extract::CoverUpload;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;
use crate::{ApiError, ApiSettings};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::cover::Accepted)]
struct Accepted {
    track_id: TrackId,
}

/// Takes a track's cover, as the field `file` of a form or as the body itself.
#[utoipa::path(
    post,
    path = "/upload/{organization_id}/{track_id}/cover",
    tag = "Upload URLs",
    operation_id = "upload_cover",
    params(
        ("organization_id" = OrganizationId, Path),
        ("track_id" = TrackId, Path),
        ("ttl" = u32, Query, description = "Seconds the URL can be used; signed."),
    ),
    request_body(content(([u8] = "application/octet-stream"), (PictureForm = "multipart/form-data"))),
    security(("upload_signature" = [])),
    responses((status = 200, body = Answer<Accepted>, description = "The cover is in place.")),
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
