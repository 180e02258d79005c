//! `GET /v1/api_key/{api_key_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::ApiKeyId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

/// The response to reading and updating a key. It is named as in the response that creates one, where `api_key` is the key
/// itself.
#[derive(Serialize, ToSchema)]
#[schema(as = api_key::read::Found)]
pub(crate) struct KeyResponse {
    pub(super) api_key_id: ApiKeyId,
    pub(super) api_key_record: KeyRecord,
}

/// Returns a key's record, without the key itself.
#[utoipa::path(
    get,
    path = "/api_key/{api_key_id}",
    tag = "API keys",
    operation_id = "read_api_key",
    params(("api_key_id" = ApiKeyId, Path)),
    responses((status = 200, body = Answer<KeyResponse>, description = "The record of the key.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(api_key_id): PathId<ApiKeyId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<KeyResponse>, ApiError> {
    let api_key_record = library.key(&caller, api_key_id).await?.into();
    Ok(Answer::traced(request, KeyResponse { api_key_id, api_key_record }))
}
