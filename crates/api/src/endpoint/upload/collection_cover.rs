//! `POST /upload/{organization_id}/{collection_id}/collection_cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CollectionId, CoverOwner, OrganizationId};
use tonearm_service::Uploads;
use utoipa::ToSchema;

use super::picture::{Permit, PictureForm, accept};
use crate::extract::CollectionCoverUpload;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;
use crate::{ApiError, ApiSettings};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::collection_cover::Accepted)]
struct Accepted {
    collection_id: CollectionId,
}

/// Takes a collection's cover, as the field `file` of a form or as the body itself.
#[utoipa::path(
    post,
    path = "/upload/{organization_id}/{collection_id}/collection_cover",
    tag = "Upload URLs",
    operation_id = "upload_collection_cover",
    params(
        ("organization_id" = OrganizationId, Path),
        ("collection_id" = CollectionId, Path),
        ("ttl" = u32, Query, description = "Seconds the URL can be used; signed."),
    ),
    request_body(content(([u8] = "application/octet-stream"), (PictureForm = "multipart/form-data"))),
    security(("upload_signature" = [])),
    responses((status = 200, body = Answer<Accepted>, description = "The cover is in place.")),
)]
pub(crate) async fn collection_cover(
    upload: Result<CollectionCoverUpload, ApiError>,
    current: CurrentRequest,
    State(uploads): State<Uploads>,
    State(settings): State<ApiSettings>,
    request: Request,
) -> Response {
    let permit = upload.map(|CollectionCoverUpload { organization_id, collection_id }| Permit {
        organization_id,
        owner: CoverOwner::Collection(collection_id),
        answer: Accepted { collection_id },
    });
    accept(permit, current, uploads, settings, request).await
}
