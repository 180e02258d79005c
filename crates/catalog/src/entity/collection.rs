//! Rows of `collection`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{Collection, CollectionId, CreatorId, OrganizationId, sort_title};

use crate::column::{
    CallerJson, cover, cover_columns, encoded, metadata, metadata_json, moment, moment_if_set, own_theme,
    parsed, parsed_if_set, theme,
};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "collection")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub creator_id: Option<Uuid>,
    pub folder: String,
    pub organization_index: Option<String>,
    pub title: String,
    pub metadata: CallerJson,
    pub theme: Json,
    pub is_cover_overridable: bool,
    pub is_theme_overridable: bool,
    pub player_color: Option<String>,
    pub player_subtitle: Option<String>,
    pub last_track_order: i64,
    pub created_at: i64,
    pub deleted_at: Option<i64>,
    pub cover_version: Option<String>,
    pub cover_origin: Option<String>,
    pub sort_title: String,
    pub restorable_until: Option<i64>,
    pub own_theme: Option<Json>,
    pub track_count: i64,
    pub stored_bytes: i64,
    pub kept_bytes: i64,
    pub sound_millis: i64,
    pub cover_bytes: i64,
    pub cover_objects: Option<Json>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Collection {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: CollectionId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            creator_id: row.creator_id.map(CreatorId::from_uuid),
            folder: parsed("collection.folder", &row.folder)?,
            organization_index: row.organization_index,
            title: row.title,
            metadata: metadata("collection.metadata", Some(row.id), row.metadata),
            cover: cover(
                "collection.cover_origin",
                row.cover_version.as_deref(),
                row.cover_origin.as_deref(),
            )?,
            theme: theme("collection.theme", row.theme, row.own_theme)?,
            is_cover_overridable: row.is_cover_overridable,
            is_theme_overridable: row.is_theme_overridable,
            player_colour: parsed_if_set("collection.player_color", row.player_color.as_deref())?,
            player_subtitle: row.player_subtitle,
            created_at: moment("collection.created_at", row.created_at)?,
            deleted_at: moment_if_set("collection.deleted_at", row.deleted_at)?,
        })
    }
}

impl TryFrom<&Collection> for ActiveModel {
    type Error = CatalogError;

    /// All columns but the counters of its tracks, and those that deletion writes.
    fn try_from(collection: &Collection) -> Result<Self, CatalogError> {
        let (cover_version, cover_origin) = cover_columns(collection.cover);
        Ok(Self {
            id: Set(collection.id.uuid()),
            organization_id: Set(collection.organization_id.uuid()),
            creator_id: Set(collection.creator_id.map(CreatorId::uuid)),
            folder: Set(collection.folder.to_string()),
            organization_index: Set(collection.organization_index.clone()),
            title: Set(collection.title.clone()),
            metadata: metadata_json(&collection.metadata),
            theme: Set(encoded("collection.theme", &collection.theme.found)?),
            own_theme: Set(own_theme("collection.own_theme", &collection.theme)?),
            is_cover_overridable: Set(collection.is_cover_overridable),
            is_theme_overridable: Set(collection.is_theme_overridable),
            player_color: Set(collection.player_colour.map(|colour| colour.to_string())),
            player_subtitle: Set(collection.player_subtitle.clone()),
            last_track_order: NotSet,
            created_at: Set(collection.created_at.unix_millis()),
            deleted_at: Set(collection.deleted_at.map(|at| at.unix_millis())),
            cover_version: Set(cover_version),
            cover_origin: Set(cover_origin),
            sort_title: Set(sort_title(&collection.title)),
            restorable_until: NotSet,
            track_count: NotSet,
            stored_bytes: NotSet,
            kept_bytes: NotSet,
            sound_millis: NotSet,
            cover_bytes: NotSet,
            cover_objects: NotSet,
        })
    }
}
