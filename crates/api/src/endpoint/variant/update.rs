//! `PUT /v1/variant/{variant_id}`

use axum::extract::State;
use tonearm_domain::{Patch, VariantId};
use tonearm_service::{Library, UpdateRecipe};

use super::read::VariantResponse;
use super::recipe_body::RecipeBody;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Updates the given fields of a recipe of the organization.
///
/// Files that were made before stay as they are until the recipe is rendered for existing tracks. `cache` applies
/// immediately. You can send back a whole record as it was returned.
#[utoipa::path(
    put,
    path = "/variant/{variant_id}",
    tag = "Variants",
    operation_id = "update_variant",
    params(("variant_id" = VariantId, Path)),
    request_body(content = RecipeBody, example = json!({ "bitrate": 112, "cache": "public" })),
    responses(
        (status = 200, body = Answer<VariantResponse>, description = "The updated recipe."),
        (
            status = 409,
            body = ErrorBody,
            description = "A variant with this index already exists, or the recipe was removed in the meantime.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(variant_id): PathId<VariantId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<RecipeBody>,
) -> Result<Answer<VariantResponse>, ApiError> {
    let update = UpdateRecipe {
        settings: body.settings()?,
        index: kept_or_set("index", body.index)?,
        recipe_type: kept_or_set("variant_type_id", body.variant_type_id)?,
        cache: kept_or_set("cache", body.cache)?,
        ..UpdateRecipe::default()
    };
    let variant = library.update_recipe(&caller, variant_id, update).await?.into();
    Ok(Answer::traced(request, VariantResponse { variant_id, variant }))
}

fn kept_or_set<T>(field: &'static str, value: Patch<T>) -> Result<Patch<T>, ApiError> {
    match value {
        Patch::Clear => Err(ApiError::invalid(field, "cannot be null")),
        other => Ok(other),
    }
}
