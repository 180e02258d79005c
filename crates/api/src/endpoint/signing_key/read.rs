//! `GET /v1/signing_key/{signing_key_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::ShortId;
use tonearm_service::SigningKeys;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, SigningKeyRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = signing_key::read::Found)]
pub(crate) struct SigningKeyResponse {
    signing_key_id: ShortId,
    signing_key: SigningKeyRecord,
}

/// Returns a signing key's record, without its secret.
#[utoipa::path(
    get,
    path = "/signing_key/{signing_key_id}",
    tag = "Signing keys",
    operation_id = "read_signing_key",
    params(("signing_key_id" = ShortId, Path)),
    responses((status = 200, body = Answer<SigningKeyResponse>, description = "The record of the signing key.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(signing_key_id): PathId<ShortId>,
    request: CurrentRequest,
    State(signing_keys): State<SigningKeys>,
) -> Result<Answer<SigningKeyResponse>, ApiError> {
    let signing_key = signing_keys.key(&caller, signing_key_id).await?.into();
    Ok(Answer::traced(request, SigningKeyResponse { signing_key_id, signing_key }))
}
