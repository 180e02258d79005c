//! `GET /v1/signing_key`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::SigningKeys;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, SigningKeyRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = signing_key::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    signing_keys: Vec<SigningKeyRecord>,
}

/// Lists the signing keys of the organization, including revoked ones, oldest first. Secrets are not returned.
#[utoipa::path(
    get,
    path = "/signing_key",
    tag = "Signing keys",
    operation_id = "list_signing_keys",
    params(ListQuery),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(signing_keys): State<SigningKeys>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, keys) = signing_keys.page(&caller, page).await?;
    Ok(Answer::traced(request, Listed { count, signing_keys: keys.into_iter().map(Into::into).collect() }))
}
