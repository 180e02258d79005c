//! Rows of `audit_entry`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{AuditEntry, AuditEntryId, AuditRecord, OrganizationId};

use crate::column::{foreign_text, moment, parsed_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_entry")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Option<Uuid>,
    pub at: i64,
    pub actor: String,
    pub actor_id: Option<Uuid>,
    pub address: Option<String>,
    pub action: String,
    pub subject_id: Option<Uuid>,
    pub title: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for AuditRecord {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: AuditEntryId::from_uuid(row.id),
            organization_id: row.organization_id.map(OrganizationId::from_uuid),
            at: moment("audit_entry.at", row.at)?,
            actor: row.actor,
            actor_id: row.actor_id,
            address: parsed_if_set("audit_entry.address", row.address.as_deref())?,
            action: row.action,
            subject_id: row.subject_id,
            title: row.title,
        })
    }
}

impl From<&AuditEntry> for ActiveModel {
    fn from(entry: &AuditEntry) -> Self {
        let actor = entry.origin.actor;
        Self {
            id: Set(entry.id.uuid()),
            organization_id: Set(entry.organization_id.map(OrganizationId::uuid)),
            at: Set(entry.at.unix_millis()),
            actor: Set(actor.kind().to_owned()),
            actor_id: Set(actor.id()),
            address: Set(entry.origin.address.map(|address| address.to_string())),
            action: Set(entry.action.as_str().to_owned()),
            subject_id: Set(entry.subject_id),
            title: Set(entry.title.as_deref().map(foreign_text)),
        }
    }
}
