//! `GET /v1/variant`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::list::Listed)]
pub(crate) struct Listed {
    /// Total number of results, regardless of the page.
    count: u64,
    variants: Vec<VariantRecord>,
}

/// Lists the recipes of the organization, in order.
#[utoipa::path(
    get,
    path = "/variant",
    tag = "Variants",
    operation_id = "list_variants",
    params(ListQuery),
    responses((status = 200, body = Answer<Listed>, description = "A page of results, and their total number.")),
    security(("api_key" = [])),
)]
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, recipes) = library.variants(&caller, page).await?;
    let variants = recipes.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, variants }))
}
