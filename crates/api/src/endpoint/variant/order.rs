//! `PUT /v1/variant/order`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::VariantId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = variant::order::Fields)]
pub(crate) struct OrderVariantsBody {
    /// The ids of all recipes of the organization, each exactly once.
    #[schema(required, value_type = Vec<VariantId>, max_items = 200)]
    variant_ids: Option<Vec<VariantId>>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::order::Ordered)]
pub(crate) struct Ordered {
    /// Total number of recipes.
    count: usize,
    variants: Vec<VariantRecord>,
}

/// Sets the order of the organization's recipes. Variants are listed and, as far as possible, rendered in this order.
#[utoipa::path(
    put,
    path = "/variant/order",
    tag = "Variants",
    operation_id = "order_variants",
    request_body(content = OrderVariantsBody, example = json!({ "variant_ids": ["0198a3c2-7d5e-7c1a-9f40-2b6d8e1f3a57"] })),
    responses((status = 200, body = Answer<Ordered>, description = "All recipes, in their new order.")),
    security(("api_key" = [])),
)]
pub(crate) async fn order(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<OrderVariantsBody>,
) -> Result<Answer<Ordered>, ApiError> {
    let recipes = library.order_recipes(&caller, &required("variant_ids", body.variant_ids)?).await?;
    let variants: Vec<VariantRecord> = recipes.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Ordered { count: variants.len(), variants }))
}
