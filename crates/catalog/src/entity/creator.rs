//! Rows of `creator`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{Creator, CreatorId, OrganizationId};

use crate::column::{CallerJson, metadata, metadata_json, moment, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "creator")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub folder: String,
    pub organization_index: String,
    pub metadata: CallerJson,
    pub created_at: i64,
    pub updated_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Creator {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: CreatorId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            folder: parsed("creator.folder", &row.folder)?,
            organization_index: row.organization_index,
            metadata: metadata("creator.metadata", Some(row.id), row.metadata),
            created_at: moment("creator.created_at", row.created_at)?,
            updated_at: moment("creator.updated_at", row.updated_at)?,
        })
    }
}

impl From<&Creator> for ActiveModel {
    fn from(creator: &Creator) -> Self {
        Self {
            id: Set(creator.id.uuid()),
            organization_id: Set(creator.organization_id.uuid()),
            folder: Set(creator.folder.to_string()),
            organization_index: Set(creator.organization_index.clone()),
            metadata: metadata_json(&creator.metadata),
            created_at: Set(creator.created_at.unix_millis()),
            updated_at: Set(creator.updated_at.unix_millis()),
        }
    }
}
