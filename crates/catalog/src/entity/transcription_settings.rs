//! Rows of `transcription_settings`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{OrganizationId, TranscriptionSettings};

use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "transcription_settings")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    pub base_url: String,
    pub key: Option<Vec<u8>>,
    pub model: String,
    pub language: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for TranscriptionSettings {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let organization_id = OrganizationId::from_uuid(row.organization_id);
        let Model { base_url, key, model, language, .. } = row;
        Ok(Self { organization_id, base_url, key, model, language })
    }
}

impl From<&TranscriptionSettings> for ActiveModel {
    fn from(settings: &TranscriptionSettings) -> Self {
        Self {
            organization_id: Set(settings.organization_id.uuid()),
            base_url: Set(settings.base_url.clone()),
            key: Set(settings.key.clone()),
            model: Set(settings.model.clone()),
            language: Set(settings.language.clone()),
        }
    }
}
