//! Rows of `variant`: recipes.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{OrganizationId, Recipe, RecipeKind, TrackId, VariantId};

use crate::column::{corrupt, decoded, encoded, moment, parsed};
use crate::error::CatalogError;

/// The field for the type in the domain's JSON. In the table, the type has a column of its own.
const TYPE_FIELD: &str = "variant_type_id";

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "variant")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub track_id: Option<Uuid>,
    pub index: String,
    pub variant_type_id: String,
    pub settings: Json,
    pub position: i32,
    pub cache: String,
    pub created_at: i64,
    pub deleted_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

fn settings_without_type(kind: &RecipeKind) -> Result<Json, CatalogError> {
    let mut settings = encoded("variant.settings", kind)?;
    if let Some(fields) = settings.as_object_mut() {
        fields.remove(TYPE_FIELD);
    }
    Ok(settings)
}

fn kind(variant_type_id: String, mut settings: Json) -> Result<RecipeKind, CatalogError> {
    settings
        .as_object_mut()
        .ok_or_else(|| corrupt("variant.settings"))?
        .insert(TYPE_FIELD.to_owned(), variant_type_id.into());
    decoded("variant.settings", settings)
}

impl TryFrom<Model> for Recipe {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: VariantId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            track_id: row.track_id.map(TrackId::from_uuid),
            index: parsed("variant.index", &row.index)?,
            kind: kind(row.variant_type_id, row.settings)?,
            position: row.position,
            cache: parsed("variant.cache", &row.cache)?,
            created_at: moment("variant.created_at", row.created_at)?,
        })
    }
}

impl TryFrom<&Recipe> for ActiveModel {
    type Error = CatalogError;

    fn try_from(recipe: &Recipe) -> Result<Self, CatalogError> {
        Ok(Self {
            id: Set(recipe.id.uuid()),
            organization_id: Set(recipe.organization_id.uuid()),
            track_id: Set(recipe.track_id.map(TrackId::uuid)),
            index: Set(recipe.index.to_string()),
            variant_type_id: Set(recipe.kind.recipe_type().as_str().to_owned()),
            settings: Set(settings_without_type(&recipe.kind)?),
            position: Set(recipe.position),
            cache: Set(recipe.cache.as_str().to_owned()),
            created_at: Set(recipe.created_at.unix_millis()),
            deleted_at: NotSet,
        })
    }
}
