//! `DELETE /v1/signing_key/{signing_key_id}`

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
#[schema(as = signing_key::delete::Deleted)]
pub(crate) struct Deleted {
    signing_key_id: ShortId,
    deleted_signing_key: SigningKeyRecord,
}

/// Revokes a signing key.
///
/// URLs that it signed are refused within two seconds on nodes with a database, and within 30 seconds on others. Its record
/// is kept.
#[utoipa::path(
    delete,
    path = "/signing_key/{signing_key_id}",
    tag = "Signing keys",
    operation_id = "revoke_signing_key",
    params(("signing_key_id" = ShortId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The record of the revoked signing key.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(signing_key_id): PathId<ShortId>,
    request: CurrentRequest,
    State(signing_keys): State<SigningKeys>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_signing_key = signing_keys.revoke(&caller, signing_key_id).await?.into();
    Ok(Answer::traced(request, Deleted { signing_key_id, deleted_signing_key }))
}
