//! `POST /v1/variant`

use axum::extract::State;
use tonearm_domain::{Patch, RecipeKind};
use tonearm_service::Library;

use super::described::Described;
use super::fields::{Fields, given};
use super::read::Found;
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
        content = Described,
        example = json!({ "index": "opus96", "variant_type_id": "transcode", "codec": "opus", "bitrate": 96 }),
    ),
    responses(
        (status = 200, body = Answer<Found>, description = "The recipe."),
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
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let settings = fields.settings()?;
    let index = given("index", fields.index)?;
    let recipe_type = given("variant_type_id", fields.variant_type_id)?;
    let kind = RecipeKind::from_settings(recipe_type, &settings)
        .map_err(|error| ApiError::invalid(error.field(), error))?;
    let cache = match fields.cache {
        Patch::Set(cache) => cache,
        Patch::Keep => Default::default(),
        Patch::Clear => return Err(ApiError::invalid("cache", "cannot be null")),
    };
    let recipe = library.add_recipe(&caller, index, kind, cache).await?;
    Ok(Answer::traced(request, Found { variant_id: recipe.id, variant: recipe.into() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(json: &str) -> Option<String> {
        let fields: Fields = serde_json::from_str(json).unwrap();
        fields.settings().err().and_then(|error| error.field().map(str::to_owned))
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
