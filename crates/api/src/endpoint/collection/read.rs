//! `GET /v1/collection/{collection_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CollectionId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

/// The response to reading and updating a collection.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::read::Found)]
pub(crate) struct CollectionResponse {
    pub(super) collection_id: CollectionId,
    pub(super) collection: CollectionRecord,
}

/// Returns a collection.
#[utoipa::path(
    get,
    path = "/collection/{collection_id}",
    tag = "Collections",
    operation_id = "read_collection",
    params(("collection_id" = CollectionId, Path)),
    responses((status = 200, body = Answer<CollectionResponse>, description = "The collection.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<CollectionResponse>, ApiError> {
    let collection = library.collection(&caller, collection_id).await?.into();
    Ok(Answer::traced(request, CollectionResponse { collection_id, collection }))
}
