//! `POST /upload/{organization_id}/{collection_id}/collection_cover`

use axum::extract::{Request, State};
use axum::response::Response;
use serde::Serialize;
use tonearm_domain::{CollectionId, CoverOwner, OrganizationId};
use tonearm_service::Uploads;
use utoipa::ToSchema;

use super::picture::{Permit, PictureForm, accept};
use crate::app::ApiSettings;
use crate::error::ApiError;
use crate::extract::CollectionCoverUpload;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = upload::collection_cover::Accepted)]
struct Accepted {
    collection_id: CollectionId,
}

/// Uploads the cover of a collection, as the form field `file` or as the raw body.
#[utoipa::path(
    post,
    path = "/{organization_id}/{collection_id}/collection_cover",
    tag = "Upload URLs",
    operation_id = "upload_collection_cover",
    params(
        ("organization_id" = OrganizationId, Path),
        ("collection_id" = CollectionId, Path),
        ("ttl" = u32, Query, description = "Lifetime of the URL in seconds. Part of the signature."),
    ),
    request_body(content(([u8] = "application/octet-stream"), (PictureForm = "multipart/form-data"))),
    security(("upload_signature" = [])),
    responses((status = 200, body = Answer<Accepted>, description = "The cover was set.")),
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
