//! Rows of `organization`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{Organization, OrganizationId};

use crate::column::{cover, cover_columns, encoded, moment, own_theme, parsed, theme};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "organization")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub theme: Json,
    pub is_theme_overridable: bool,
    pub is_cover_overridable: bool,
    pub player_color: String,
    pub player_subtitle: String,
    pub webhook_url: Option<String>,
    pub webhook_url_file: Option<String>,
    pub webhook_url_collection: Option<String>,
    pub is_transcription_enabled: bool,
    pub created_at: i64,
    pub folder: String,
    pub cover_version: Option<String>,
    pub cover_origin: Option<String>,
    pub is_early_sound: bool,
    pub own_theme: Option<Json>,
    pub cover_bytes: i64,
    pub cover_objects: Option<Json>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Organization {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: OrganizationId::from_uuid(row.id),
            folder: parsed("organization.folder", &row.folder)?,
            name: row.name,
            cover: cover(
                "organization.cover_origin",
                row.cover_version.as_deref(),
                row.cover_origin.as_deref(),
            )?,
            theme: theme("organization.theme", row.theme, row.own_theme)?,
            is_theme_overridable: row.is_theme_overridable,
            is_cover_overridable: row.is_cover_overridable,
            player_colour: parsed("organization.player_color", &row.player_color)?,
            player_subtitle: row.player_subtitle,
            webhook_url: row.webhook_url,
            webhook_url_file: row.webhook_url_file,
            webhook_url_collection: row.webhook_url_collection,
            is_transcription_enabled: row.is_transcription_enabled,
            is_early_sound: row.is_early_sound,
            created_at: moment("organization.created_at", row.created_at)?,
        })
    }
}

impl TryFrom<&Organization> for ActiveModel {
    type Error = CatalogError;

    fn try_from(organization: &Organization) -> Result<Self, CatalogError> {
        let (cover_version, cover_origin) = cover_columns(organization.cover);
        Ok(Self {
            id: Set(organization.id.uuid()),
            name: Set(organization.name.clone()),
            theme: Set(encoded("organization.theme", &organization.theme.found)?),
            own_theme: Set(own_theme("organization.own_theme", &organization.theme)?),
            cover_bytes: NotSet,
            cover_objects: NotSet,
            is_theme_overridable: Set(organization.is_theme_overridable),
            is_cover_overridable: Set(organization.is_cover_overridable),
            player_color: Set(organization.player_colour.to_string()),
            player_subtitle: Set(organization.player_subtitle.clone()),
            webhook_url: Set(organization.webhook_url.clone()),
            webhook_url_file: Set(organization.webhook_url_file.clone()),
            webhook_url_collection: Set(organization.webhook_url_collection.clone()),
            is_transcription_enabled: Set(organization.is_transcription_enabled),
            created_at: Set(organization.created_at.unix_millis()),
            folder: Set(organization.folder.to_string()),
            cover_version: Set(cover_version),
            cover_origin: Set(cover_origin),
            is_early_sound: Set(organization.is_early_sound),
        })
    }
}
