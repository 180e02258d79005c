//! Rows of `source_import`.

use std::time::Duration;

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{Import, OrganizationId, PersonId, TrackId};

use crate::column::{byte_count, moment, size};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "source_import")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub track_id: Uuid,
    pub organization_id: Uuid,
    pub url: Vec<u8>,
    pub host: String,
    pub is_named: bool,
    pub received: i64,
    pub size: Option<i64>,
    pub created_at: i64,
    pub spent_millis: i64,
    pub person_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Import {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            track_id: TrackId::from_uuid(row.track_id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            spent: Duration::from_millis(size("source_import.spent_millis", row.spent_millis)?),
            received: size("source_import.received", row.received)?,
            size: row.size.map(|bytes| size("source_import.size", bytes)).transpose()?,
            created_at: moment("source_import.created_at", row.created_at)?,
            person_id: row.person_id.map(PersonId::from_uuid),
            url: row.url,
            host: row.host,
            is_named: row.is_named,
        })
    }
}

impl From<&Import> for ActiveModel {
    fn from(import: &Import) -> Self {
        Self {
            track_id: Set(import.track_id.uuid()),
            organization_id: Set(import.organization_id.uuid()),
            url: Set(import.url.clone()),
            host: Set(import.host.clone()),
            is_named: Set(import.is_named),
            received: Set(byte_count(import.received)),
            size: Set(import.size.map(byte_count)),
            spent_millis: Set(spent_millis(import.spent)),
            created_at: Set(import.created_at.unix_millis()),
            person_id: Set(import.person_id.map(PersonId::uuid)),
        }
    }
}

pub(crate) fn spent_millis(spent: Duration) -> i64 {
    i64::try_from(spent.as_millis()).unwrap_or(i64::MAX)
}
