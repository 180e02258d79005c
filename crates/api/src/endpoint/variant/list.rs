//! `GET /v1/variant`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::ApiError;
use crate::extract::ManageKey;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::list::Listed)]
pub(crate) struct Listed {
    count: usize,
    variants: Vec<VariantRecord>,
}

/// The organization's recipes, in order; there are few, so all of them.
#[utoipa::path(
    get,
    path = "/v1/variant",
    tag = "Variants",
    operation_id = "list_variants",
    responses((status = 200, body = Answer<Listed>, description = "All recipes of the organization.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let recipes = library.variants(&caller).await?;
    let variants: Vec<VariantRecord> = recipes.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count: variants.len(), variants }))
}
