//! `DELETE /v1/collection/{collection_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::delete::Deleted)]
pub(crate) struct Deleted {
    collection_id: CollectionId,
    deleted_collection: CollectionRecord,
}

/// Deletes a collection with its tracks.
///
/// Their files are removed in the background.
#[utoipa::path(
    delete,
    path = "/collection/{collection_id}",
    tag = "Collections",
    operation_id = "delete_collection",
    params(("collection_id" = CollectionId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The deleted collection.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_collection = library.delete_collection(&caller, collection_id).await?.into();
    Ok(Answer::traced(request, Deleted { collection_id, deleted_collection }))
}
