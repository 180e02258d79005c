//! `DELETE /v1/collection/{collection_id}/cover`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{CollectionId, CoverOwner};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::remove_cover::Removed)]
pub(crate) struct Removed {
    collection_id: CollectionId,
    collection: CollectionRecord,
}

/// Removes the cover of a collection. Its tracks then show that of the organization, or their own.
#[utoipa::path(
    delete,
    path = "/collection/{collection_id}/cover",
    tag = "Collections",
    operation_id = "remove_collection_cover",
    params(("collection_id" = CollectionId, Path)),
    responses((status = 200, body = Answer<Removed>, description = "The collection.")),
    security(("api_key" = [])),
)]
pub(crate) async fn remove_cover(
    ManageKey(caller): ManageKey,
    PathId(collection_id): PathId<CollectionId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Removed>, ApiError> {
    library.reset_cover(&caller, CoverOwner::Collection(collection_id)).await?;
    let collection = library.collection(&caller, collection_id).await?.into();
    Ok(Answer::traced(request, Removed { collection_id, collection }))
}
