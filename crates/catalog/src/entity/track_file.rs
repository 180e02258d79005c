//! Rows of `track_file`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sea_orm::entity::prelude::*;
use sea_orm::{FromQueryResult, Set};
use serde::{Deserialize, Serialize};
use tonearm_domain::{
    CachePolicy, FileId, FileOutcome, ObjectKey, OrganizationId, Recipe, RecipeKind, Timestamp, TrackFile,
    TrackId, VariantId, VariantIndex,
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
    pub object_sha256: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The recipe as it was when the file was made: the JSON in `track_file.variant`. Name, position and cache policy apply
/// only to files whose recipe no longer exists, and are read by earlier versions.
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
    /// A hash of what else the file was made from, in Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    made_from: Option<String>,
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
            made_from: None,
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

/// The SHA-256 of an object, as stored in its column, after the version of the object. Versions of Tonearm that do not
/// know the column replace the object of a row and leave the hash of the previous object.
fn hash_text(key: &ObjectKey, sha256: [u8; 32]) -> String {
    format!("{}:{}", key.file.version, STANDARD.encode(sha256))
}

/// The SHA-256 of an object, if the column contains the hash of this object.
pub(crate) fn object_hash(key: &ObjectKey, stored: Option<&str>) -> Result<Option<[u8; 32]>, CatalogError> {
    let invalid = || corrupt("track_file.object_sha256");
    let Some((version, hash)) = stored.map(|text| text.split_once(':').ok_or_else(invalid)).transpose()?
    else {
        return Ok(None);
    };
    if version != key.file.version.as_str() {
        return Ok(None);
    }
    decoded_hash(hash).map(Some).ok_or_else(invalid)
}

fn decoded_hash(base64: &str) -> Option<[u8; 32]> {
    STANDARD.decode(base64).ok()?.try_into().ok()
}

/// Either the rendered file or the reason of the failure.
fn outcome(
    key: Option<&str>,
    (bytes, sha256): (Option<i64>, Option<&str>),
    file_name: Option<String>,
    data: Option<Json>,
    failure: Option<String>,
    made_from: Option<&str>,
) -> Result<FileOutcome, CatalogError> {
    match (key, bytes, file_name, data, failure) {
        (Some(key), Some(bytes), Some(file_name), Some(data), None) => {
            let key = parsed("track_file.object_key", key)?;
            Ok(FileOutcome::Made {
                size: size("track_file.size", bytes)?,
                sha256: object_hash(&key, sha256)?,
                key,
                file_name,
                data: decoded("track_file.data", data)?,
                made_from: made_from.and_then(decoded_hash),
            })
        }
        (None, None, None, None, Some(reason)) => Ok(FileOutcome::Failed { reason }),
        _ => Err(corrupt("track_file.failure")),
    }
}

/// A file with the name, the position and the cache policy that its recipe has now.
#[derive(FromQueryResult)]
pub(crate) struct OfRecipe {
    #[sea_orm(nested)]
    file: Model,
    recipe_index: Option<String>,
    recipe_position: Option<i32>,
    recipe_cache: Option<String>,
}

impl TryFrom<OfRecipe> for TrackFile {
    type Error = CatalogError;

    fn try_from(row: OfRecipe) -> Result<Self, CatalogError> {
        let OfRecipe { file: row, recipe_index, recipe_position, recipe_cache } = row;
        let then: RecipeThen = decoded("track_file.variant", row.variant)?;
        let made_from = then.made_from.clone();
        let mut recipe = Recipe::from(then);
        // If the row of the recipe is damaged, its files are still what they were.
        if let (Some(index), Some(position), Some(cache)) = (recipe_index, recipe_position, recipe_cache)
            && let (Ok(index), Ok(cache)) = (index.parse(), cache.parse())
        {
            (recipe.index, recipe.position, recipe.cache) = (index, position, cache);
        }
        Ok(Self {
            id: FileId::from_uuid(row.id),
            track_id: TrackId::from_uuid(row.track_id),
            recipe,
            outcome: outcome(
                row.object_key.as_deref(),
                (row.size, row.object_sha256.as_deref()),
                row.file_name,
                row.data,
                row.failure,
                made_from.as_deref(),
            )?,
            created_at: moment("track_file.created_at", row.created_at)?,
        })
    }
}

impl TryFrom<&TrackFile> for ActiveModel {
    type Error = CatalogError;

    fn try_from(file: &TrackFile) -> Result<Self, CatalogError> {
        let mut recipe = RecipeThen::from(&file.recipe);
        if let FileOutcome::Made { made_from: Some(hash), .. } = &file.outcome {
            recipe.made_from = Some(STANDARD.encode(hash));
        }
        let mut row = Self {
            id: Set(file.id.uuid()),
            track_id: Set(file.track_id.uuid()),
            variant_id: Set(file.recipe.id.uuid()),
            variant: Set(encoded("track_file.variant", &recipe)?),
            object_key: Set(None),
            size: Set(None),
            file_name: Set(None),
            data: Set(None),
            failure: Set(None),
            created_at: Set(file.created_at.unix_millis()),
            deleted_at: Set(None),
            object_sha256: Set(None),
        };
        match &file.outcome {
            FileOutcome::Made { key, size, sha256, file_name, data, made_from: _ } => {
                row.object_key = Set(Some(key.to_string()));
                row.size = Set(Some(byte_count(*size)));
                row.object_sha256 = Set(sha256.map(|sha256| hash_text(key, sha256)));
                row.file_name = Set(Some(file_name.clone()));
                row.data = Set(Some(encoded("track_file.data", data)?));
            }
            FileOutcome::Failed { reason } => row.failure = Set(Some(foreign_text(reason))),
        }
        Ok(row)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_the_object_it_names() {
        let key = |version: &str| -> ObjectKey {
            format!("018f0000-0000-7000-8000-000000000000/abcdefghij01/hq.{version}.mp3").parse().unwrap()
        };
        let (old, new) = (key("abcdefghij02"), key("abcdefghij03"));
        let text = hash_text(&old, [7; 32]);
        assert_eq!(object_hash(&old, Some(&text)).unwrap(), Some([7; 32]));
        assert_eq!(object_hash(&new, Some(&text)).unwrap(), None, "the version before put another object");
        assert_eq!(object_hash(&old, None).unwrap(), None);
        for bad in ["", "abcdefghij02", "abcdefghij02:AAAA", "abcdefghij02:?"] {
            assert!(object_hash(&old, Some(bad)).is_err(), "{bad}");
        }
    }
}
