//! Variant recipes.

use serde::Serialize;
use tonearm_domain::{
    CachePolicy, ContentType, OrganizationId, Recipe, RecipeKind, RecipeType, Timestamp, TrackId, VariantId,
    VariantIndex,
};
use utoipa::ToSchema;

/// The type of a variant.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantTypeRecord {
    id: RecipeType,
    viewer_id: &'static str,
    title: &'static str,
}

/// Fields for clients that show a variant without reading its settings.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantNames {
    /// The same as `index`.
    name: VariantIndex,
    /// The same as `variant_type_id`.
    #[serde(rename = "type")]
    recipe_type: RecipeType,
    /// The extension of its files, such as `mp3`, `json` or `png`; `original` stands for the extension of the upload. For levels,
    /// the format in which they are written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required, value_type = String)]
    format: Option<&'static str>,
}

/// The record of a variant.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantRecord {
    id: VariantId,
    organization_id: OrganizationId,
    track_id: Option<TrackId>,
    index: VariantIndex,
    #[serde(flatten)]
    named: VariantNames,
    variant_type: VariantTypeRecord,
    /// `variant_type_id` and all settings of that type.
    #[serde(flatten)]
    kind: RecipeKind,
    /// Who may cache its files: only listeners (`private`), or also CDNs (`public`).
    cache: CachePolicy,
    created_at: Timestamp,
}

impl From<RecipeType> for VariantTypeRecord {
    fn from(recipe_type: RecipeType) -> Self {
        Self { id: recipe_type, viewer_id: recipe_type.viewer(), title: recipe_type.title() }
    }
}

impl VariantNames {
    /// For a recipe that is returned together with its settings. `format` is omitted for levels, whose settings have a
    /// field of that name.
    fn of(recipe: &Recipe) -> Self {
        let format = match &recipe.kind {
            RecipeKind::Levels(_) => None,
            RecipeKind::Original {} => Some("original"),
            RecipeKind::WaveformImage(_) => Some(ContentType::Png.extension()),
            RecipeKind::WaveformVideo(_) => Some(ContentType::Mp4.extension()),
            RecipeKind::Cover(_) => Some(ContentType::Jpeg.extension()),
            RecipeKind::Transcode(transcode) => Some(transcode.codec.content_type().extension()),
            RecipeKind::Preview(preview) => Some(preview.transcode.codec.content_type().extension()),
        };
        Self { name: recipe.index.clone(), recipe_type: recipe.kind.recipe_type(), format }
    }

    /// For a rendered file.
    pub(crate) fn of_file(recipe: &Recipe, content_type: ContentType) -> Self {
        Self { format: Some(content_type.extension()), ..Self::of(recipe) }
    }
}

impl From<Recipe> for VariantRecord {
    fn from(recipe: Recipe) -> Self {
        Self {
            id: recipe.id,
            organization_id: recipe.organization_id,
            track_id: recipe.track_id,
            named: VariantNames::of(&recipe),
            index: recipe.index,
            variant_type: recipe.kind.recipe_type().into(),
            kind: recipe.kind,
            cache: recipe.cache,
            created_at: recipe.created_at,
        }
    }
}
