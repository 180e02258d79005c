//! Rows of `track_file`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};
use tonearm_domain::{
    CachePolicy, FileId, FileOutcome, OrganizationId, Recipe, RecipeKind, Timestamp, TrackFile, TrackId,
    VariantId, VariantIndex,
};

use crate::column::{byte_count, corrupt, decoded, encoded, foreign_text, moment, parsed, size};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "track_file")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub track_id: Uuid,
    pub variant_id: Uuid,
    pub variant: Json,
    pub object_key: Option<String>,
    pub size: Option<i64>,
    pub file_name: Option<String>,
    pub data: Option<Json>,
    pub failure: Option<String>,
    pub created_at: i64,
    pub deleted_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The recipe as it was when the file was made: the JSON in `track_file.variant`.
#[derive(Serialize, Deserialize)]
struct RecipeThen {
    id: VariantId,
    organization_id: OrganizationId,
    track_id: Option<TrackId>,
    index: VariantIndex,
    settings: RecipeKind,
    position: i32,
    #[serde(default)]
    cache: CachePolicy,
    created_at: Timestamp,
}

impl From<&Recipe> for RecipeThen {
    fn from(recipe: &Recipe) -> Self {
        Self {
            id: recipe.id,
            organization_id: recipe.organization_id,
            track_id: recipe.track_id,
            index: recipe.index.clone(),
            settings: recipe.kind.clone(),
            position: recipe.position,
            cache: recipe.cache,
            created_at: recipe.created_at,
        }
    }
}

impl From<RecipeThen> for Recipe {
    fn from(then: RecipeThen) -> Self {
        Self {
            id: then.id,
            organization_id: then.organization_id,
            track_id: then.track_id,
            index: then.index,
            kind: then.settings,
            position: then.position,
            cache: then.cache,
            created_at: then.created_at,
        }
    }
}

/// Either what was made or why it was not.
fn outcome(
    key: Option<&str>,
    bytes: Option<i64>,
    file_name: Option<String>,
    data: Option<Json>,
    failure: Option<String>,
) -> Result<FileOutcome, CatalogError> {
    match (key, bytes, file_name, data, failure) {
        (Some(key), Some(bytes), Some(file_name), Some(data), None) => Ok(FileOutcome::Made {
            key: parsed("track_file.object_key", key)?,
            size: size("track_file.size", bytes)?,
            file_name,
            data: decoded("track_file.data", data)?,
        }),
        (None, None, None, None, Some(reason)) => Ok(FileOutcome::Failed { reason }),
        _ => Err(corrupt("track_file.failure")),
    }
}

impl TryFrom<Model> for TrackFile {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: FileId::from_uuid(row.id),
            track_id: TrackId::from_uuid(row.track_id),
            recipe: decoded::<RecipeThen>("track_file.variant", row.variant)?.into(),
            outcome: outcome(row.object_key.as_deref(), row.size, row.file_name, row.data, row.failure)?,
            created_at: moment("track_file.created_at", row.created_at)?,
        })
    }
}

impl TryFrom<&TrackFile> for ActiveModel {
    type Error = CatalogError;

    fn try_from(file: &TrackFile) -> Result<Self, CatalogError> {
        let mut row = Self {
            id: Set(file.id.uuid()),
            track_id: Set(file.track_id.uuid()),
            variant_id: Set(file.recipe.id.uuid()),
            variant: Set(encoded("track_file.variant", &RecipeThen::from(&file.recipe))?),
            object_key: Set(None),
            size: Set(None),
            file_name: Set(None),
            data: Set(None),
            failure: Set(None),
            created_at: Set(file.created_at.unix_millis()),
            deleted_at: Set(None),
        };
        match &file.outcome {
            FileOutcome::Made { key, size, file_name, data } => {
                row.object_key = Set(Some(key.to_string()));
                row.size = Set(Some(byte_count(*size)));
                row.file_name = Set(Some(file_name.clone()));
                row.data = Set(Some(encoded("track_file.data", data)?));
            }
            FileOutcome::Failed { reason } => row.failure = Set(Some(foreign_text(reason))),
        }
        Ok(row)
    }
}
