//! `PUT /v1/variant/{variant_id}`

use axum::extract::State;
use tonearm_domain::{Patch, VariantId};
use tonearm_service::{Library, UpdateRecipe};

use super::fields::Fields;
use super::read::Found;
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
    request_body(content = Fields, example = json!({ "bitrate": 112, "cache": "public" })),
    responses(
        (status = 200, body = Answer<Found>, description = "The updated recipe."),
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
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let update = UpdateRecipe {
        settings: fields.settings()?,
        index: kept_or_set("index", fields.index)?,
        recipe_type: kept_or_set("variant_type_id", fields.variant_type_id)?,
        cache: kept_or_set("cache", fields.cache)?,
        ..UpdateRecipe::default()
    };
    let variant = library.update_recipe(&caller, variant_id, update).await?.into();
    Ok(Answer::traced(request, Found { variant_id, variant }))
}

fn kept_or_set<T>(field: &'static str, value: Patch<T>) -> Result<Patch<T>, ApiError> {
    match value {
        Patch::Clear => Err(ApiError::invalid(field, "cannot be null")),
        other => Ok(other),
    }
}
