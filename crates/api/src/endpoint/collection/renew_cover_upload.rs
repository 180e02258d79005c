//! `POST /v1/collection/{collection_id}/cover`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord, UploadDescriptor};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::renew_cover_upload::Renewed)]
pub(crate) struct Renewed {
    collection_id: CollectionId,
    collection: CollectionRecord,
    collection_cover_upload: UploadDescriptor,
}

/// Returns a new URL for uploading the collection's cover.
#[utoipa::path(
    post,
    path = "/collection/{collection_id}/cover",
    tag = "Collections",
    operation_id = "renew_collection_cover_upload",
    params(("collection_id" = CollectionId, Path)),
    responses((status = 200, body = Answer<Renewed>, description = "The upload URL, valid for one hour.")),
    security(("api_key" = [])),
)]
pub(crate) async fn renew_cover_upload(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Renewed>, ApiError> {
    let (collection, cover) = library.renew_collection_cover_upload(&caller, collection_id).await?;
    let renewed =
        Renewed { collection_id, collection: collection.into(), collection_cover_upload: cover.into() };
    Ok(Answer::traced(request, renewed))
}
