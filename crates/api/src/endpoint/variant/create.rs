//! `POST /v1/variant`

use axum::extract::State;
use tonearm_domain::RecipeKind;
use tonearm_service::Library;

use super::create_schema::CreateRecipeSchema;
use super::read::VariantResponse;
use super::recipe_body::{RecipeBody, required_value};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Creates a recipe for all tracks that are uploaded from now on.
///
/// `POST /v1/variant/{variant_id}/rendering` also renders it for existing tracks.
#[utoipa::path(
    post,
    path = "/variant",
    tag = "Variants",
    operation_id = "create_variant",
    request_body(
        content = CreateRecipeSchema,
        example = json!({ "index": "opus96", "variant_type_id": "transcode", "codec": "opus", "bitrate": 96 }),
    ),
    responses(
        (status = 200, body = Answer<VariantResponse>, description = "The recipe."),
        (
            status = 409,
            body = ErrorBody,
            description = "A variant with this index already exists, the organization has 200 variants, or the first request with this `Idempotency-Key` is still in progress.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<RecipeBody>,
) -> Result<Answer<VariantResponse>, ApiError> {
    let settings = body.settings()?;
    let index = required_value("index", body.index)?;
    let recipe_type = required_value("variant_type_id", body.variant_type_id)?;
    let kind = RecipeKind::from_settings(recipe_type, &settings)
        .map_err(|error| ApiError::invalid(error.field(), error))?;
    let cache = match body.cache.given() {
        None => Default::default(),
        Some(cache) => cache.ok_or_else(|| ApiError::invalid("cache", "cannot be null"))?,
    };
    let recipe = library.add_recipe(&caller, index, kind, cache).await?;
    Ok(Answer::traced(request, VariantResponse { variant_id: recipe.id, variant: recipe.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> Option<String> {
        let body: RecipeBody = serde_json::from_str(json).unwrap();
        body.settings().err().and_then(|error| error.field().map(str::to_owned))
    }

    #[test]
    fn bounds_count_for_every_type() {
        let at_fault = |json: &str| refused(json).unwrap();
        assert_eq!(at_fault(r#"{"variant_type_id":"levels","bitrate":321}"#), "bitrate");
        assert_eq!(at_fault(r#"{"preview_percent":101}"#), "preview_percent");
        assert_eq!(at_fault(r#"{"frame_rate":0}"#), "frame_rate");
        assert_eq!(at_fault(r#"{"bits":9}"#), "bits");
        assert_eq!(refused(r#"{"bitrate":128.0,"width":17,"format":"mp3","loudness_target":null}"#), None);
    }
}
