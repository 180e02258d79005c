//! `DELETE /v1/api_key/{api_key_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::ApiKeyId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

#[derive(Serialize, ToSchema)]
#[schema(as = api_key::delete::Deleted)]
pub(crate) struct Deleted {
    api_key_id: ApiKeyId,
    deleted_api_key: KeyRecord,
}

/// Revokes a key. It stops working within two seconds on all nodes.
///
/// Its record is kept. Keys of type `api` can also be revoked, and each of them can revoke itself, even if it is limited to a
/// collection or a track.
#[utoipa::path(
    delete,
    path = "/api_key/{api_key_id}",
    tag = "API keys",
    operation_id = "revoke_api_key",
    params(("api_key_id" = ApiKeyId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The record of the revoked key.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(api_key_id): PathId<ApiKeyId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_api_key = library.revoke_key(&caller, api_key_id).await?.into();
    Ok(Answer::traced(request, Deleted { api_key_id, deleted_api_key }))
}
