//! `GET /v1/creator/{creator_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CreatorId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

/// The response to creating, reading and updating a creator.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = creator::read::Found)]
pub(crate) struct CreatorResponse {
    pub(super) creator_id: CreatorId,
    pub(super) creator: CreatorRecord,
}

/// Returns a creator.
#[utoipa::path(
    get,
    path = "/creator/{creator_id}",
    tag = "Creators",
    operation_id = "read_creator",
    params(("creator_id" = CreatorId, Path)),
    responses((status = 200, body = Answer<CreatorResponse>, description = "The creator.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(creator_id): PathId<CreatorId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<CreatorResponse>, ApiError> {
    let creator = library.creator(&caller, creator_id).await?.into();
    Ok(Answer::traced(request, CreatorResponse { creator_id, creator }))
}
