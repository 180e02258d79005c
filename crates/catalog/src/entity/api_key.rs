//! Rows of `api_key`.

use std::collections::BTreeMap;

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{
    AllowedOrigins, ApiKey, ApiKeyId, CollectionId, CreatorId, KeyScope, KeyType, NamedRecipes,
    OrganizationId, Selection, TrackId, VariantId, VariantIndex,
};

use crate::column::{corrupt, decoded, encoded, moment, moment_if_set, parsed, selection, selection_json};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "api_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub key_hash: Vec<u8>,
    pub title: String,
    pub api_key_type_id: String,
    pub collection_id: Option<Uuid>,
    pub track_id: Option<Uuid>,
    pub creator_id: Option<Uuid>,
    pub selection: Option<Json>,
    pub is_downloadable: bool,
    pub expires_at: Option<i64>,
    pub revoked_at: Option<i64>,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
    pub allowed_origins: Option<Json>,
    pub made_by_key: Option<Uuid>,
    pub recipes: Option<Json>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for ApiKey {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let collection = row.collection_id.map(CollectionId::from_uuid);
        let track = row.track_id.map(TrackId::from_uuid);
        let key_type = parsed("api_key.api_key_type_id", &row.api_key_type_id)?;
        let variants = selection("api_key.selection", row.selection)?;
        // The one variant of a share key may have been removed.
        if key_type == KeyType::Share && variants.only().is_none_or(|list| list.len() > 1) {
            return Err(corrupt("api_key.selection"));
        }
        Ok(Self {
            id: ApiKeyId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            title: row.title,
            key_type,
            scope: KeyScope::new(collection, track).map_err(|_| corrupt("api_key.track_id"))?,
            creator_id: row.creator_id.map(CreatorId::from_uuid),
            recipes: recipes(row.recipes, &variants)?,
            variants,
            is_downloadable: row.is_downloadable,
            allowed_origins: allowed_origins(row.allowed_origins)?,
            expires_at: moment_if_set("api_key.expires_at", row.expires_at)?,
            revoked_at: moment_if_set("api_key.revoked_at", row.revoked_at)?,
            created_at: moment("api_key.created_at", row.created_at)?,
            last_used_at: moment_if_set("api_key.last_used_at", row.last_used_at)?,
            made_by: row.made_by_key.map(ApiKeyId::from_uuid),
        })
    }
}

const RECIPES: &str = "api_key.recipes";

/// Each name, and the id of its recipe or null. A version without these ids may have changed the names, which then count.
fn recipes(json: Option<Json>, variants: &Selection) -> Result<NamedRecipes, CatalogError> {
    let (Some(json @ Json::Object(_)), Some(names)) = (json, variants.only()) else {
        return Ok(NamedRecipes::UNKNOWN);
    };
    let ids: BTreeMap<VariantIndex, Option<Uuid>> = decoded(RECIPES, json)?;
    if ids.len() != names.len() || !names.iter().all(|name| ids.contains_key(name)) {
        return Ok(NamedRecipes::UNKNOWN);
    }
    let named = ids.into_iter().filter_map(|(name, id)| Some((name, VariantId::from_uuid(id?))));
    Ok(NamedRecipes::of(named))
}

fn recipes_json(key: &ApiKey) -> Result<Option<Json>, CatalogError> {
    let (Some(names), true) = (key.variants.only(), key.recipes.are_known()) else { return Ok(None) };
    let id = |name: &VariantIndex| (name.clone(), key.recipes.id(name).map(VariantId::uuid));
    encoded(RECIPES, &names.iter().map(id).collect::<BTreeMap<_, _>>()).map(Some)
}

/// NULL allows every origin, and so does JSON `null`. An empty array is invalid.
fn allowed_origins(json: Option<Json>) -> Result<AllowedOrigins, CatalogError> {
    let json = json.filter(|json| !json.is_null());
    json.map_or(Ok(AllowedOrigins::Any), |json| {
        decoded("api_key.allowed_origins", json).map(AllowedOrigins::Only)
    })
}

impl TryFrom<&ApiKey> for ActiveModel {
    type Error = CatalogError;

    /// All columns but the hash, which the record does not contain.
    fn try_from(key: &ApiKey) -> Result<Self, CatalogError> {
        Ok(Self {
            id: Set(key.id.uuid()),
            organization_id: Set(key.organization_id.uuid()),
            key_hash: NotSet,
            title: Set(key.title.clone()),
            api_key_type_id: Set(key.key_type.as_str().to_owned()),
            collection_id: Set(key.scope.collection().map(CollectionId::uuid)),
            track_id: Set(key.scope.track().map(TrackId::uuid)),
            creator_id: Set(key.creator_id.map(CreatorId::uuid)),
            selection: Set(selection_json("api_key.selection", &key.variants)?),
            is_downloadable: Set(key.is_downloadable),
            allowed_origins: Set(key
                .allowed_origins
                .only()
                .map(|list| encoded("api_key.allowed_origins", list))
                .transpose()?),
            expires_at: Set(key.expires_at.map(|at| at.unix_millis())),
            revoked_at: Set(key.revoked_at.map(|at| at.unix_millis())),
            created_at: Set(key.created_at.unix_millis()),
            last_used_at: Set(key.last_used_at.map(|at| at.unix_millis())),
            made_by_key: Set(key.made_by.map(ApiKeyId::uuid)),
            recipes: Set(recipes_json(key)?),
        })
    }
}
