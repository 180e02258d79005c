//! `GET /v1/quota`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::ManageKey;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, QuotaRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = quota::read::Read)]
pub(crate) struct QuotaResponse {
    quota: QuotaRecord,
}

/// Returns the quotas of the organization and what is used of each. They are set by the operator, on the command line.
#[utoipa::path(
    get,
    path = "/quota",
    tag = "Usage",
    operation_id = "read_quota",
    responses((status = 200, body = Answer<QuotaResponse>, description = "The quotas.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<QuotaResponse>, ApiError> {
    let quota = library.quotas(&caller).await?.into();
    Ok(Answer::traced(request, QuotaResponse { quota }))
}
