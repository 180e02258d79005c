//! Variant recipes.

use serde::Serialize;
use tonearm_domain::{
    Codec, OrganizationId, Recipe, RecipeKind, RecipeType, Timestamp, TrackId, VariantId, VariantIndex,
};
use utoipa::ToSchema;

/// The type of a variant.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantTypeRecord {
    id: RecipeType,
    viewer_id: &'static str,
    title: &'static str,
}

/// The settings of a variant that can be heard; null in the others.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct VariantProps {
    codec: Option<Codec>,
    /// Kilobits per second; null where nothing is lost.
    bitrate: Option<u16>,
    is_stereo: Option<bool>,
    is_strip_tags: Option<bool>,
    is_strip_cover: Option<bool>,
}

/// The record of a variant.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VariantRecord {
    id: VariantId,
    organization_id: OrganizationId,
    track_id: Option<TrackId>,
    index: VariantIndex,
    variant_type: VariantTypeRecord,
    /// `variant_type_id` and all settings of that type.
    #[serde(flatten)]
    kind: RecipeKind,
    created_at: Timestamp,
}

impl From<RecipeType> for VariantTypeRecord {
    fn from(recipe_type: RecipeType) -> Self {
        Self { id: recipe_type, viewer_id: recipe_type.viewer(), title: recipe_type.title() }
    }
}

impl From<&RecipeKind> for VariantProps {
    fn from(kind: &RecipeKind) -> Self {
        let Some(transcode) = kind.transcode() else {
            return Self::default();
        };
        Self {
            codec: Some(transcode.codec),
            bitrate: transcode.told_bitrate(),
            is_stereo: Some(transcode.is_stereo),
            is_strip_tags: Some(transcode.is_strip_tags),
            is_strip_cover: Some(transcode.is_strip_cover),
        }
    }
}

impl From<Recipe> for VariantRecord {
    fn from(recipe: Recipe) -> Self {
        Self {
            id: recipe.id,
            organization_id: recipe.organization_id,
            track_id: recipe.track_id,
            index: recipe.index,
            variant_type: recipe.kind.recipe_type().into(),
            kind: recipe.kind,
            created_at: recipe.created_at,
        }
    }
}
