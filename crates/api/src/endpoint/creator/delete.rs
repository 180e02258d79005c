//! `DELETE /v1/creator/{creator_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CreatorId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = creator::delete::Deleted)]
pub(crate) struct Deleted {
    creator_id: CreatorId,
    deleted_creator: CreatorRecord,
}

/// Deletes a creator. The tracks and collections of the creator are kept.
#[utoipa::path(
    delete,
    path = "/creator/{creator_id}",
    tag = "Creators",
    operation_id = "delete_creator",
    params(("creator_id" = CreatorId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The deleted creator.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(creator_id): PathId<CreatorId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_creator = library.delete_creator(&caller, creator_id).await?.into();
    Ok(Answer::traced(request, Deleted { creator_id, deleted_creator }))
}
