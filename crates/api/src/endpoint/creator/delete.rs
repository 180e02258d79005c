//! `DELETE /v1/creator/{creator_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::CreatorId;
use tonearm_service::Library;

use crate::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize)]
pub(crate) struct Deleted {
    creator_id: CreatorId,
    deleted_creator: CreatorRecord,
}

/// Deletes a creator; what came from it stays.
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(creator_id): PathId<CreatorId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_creator = library.delete_creator(&caller, creator_id).await?.into();
    Ok(Answer::traced(request, Deleted { creator_id, deleted_creator }))
}
