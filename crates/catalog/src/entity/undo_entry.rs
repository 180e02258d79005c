//! Rows of `undo_entry`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{OrganizationId, PersonId, UndoEntry, UndoId};

use crate::column::{corrupt, moment};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "undo_entry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub person_id: Uuid,
    #[sea_orm(column_type = "Text")]
    pub change: String,
    pub expires_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for UndoEntry {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: UndoId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            person_id: PersonId::from_uuid(row.person_id),
            change: serde_json::from_str(&row.change).map_err(|_| corrupt("undo_entry.change"))?,
            expires_at: moment("undo_entry.expires_at", row.expires_at)?,
        })
    }
}

impl TryFrom<&UndoEntry> for ActiveModel {
    type Error = CatalogError;

    fn try_from(entry: &UndoEntry) -> Result<Self, CatalogError> {
        Ok(Self {
            id: Set(entry.id.uuid()),
            organization_id: Set(entry.organization_id.uuid()),
            person_id: Set(entry.person_id.uuid()),
            change: Set(serde_json::to_string(&entry.change).map_err(|_| corrupt("undo_entry.change"))?),
            expires_at: Set(entry.expires_at.unix_millis()),
        })
    }
}
