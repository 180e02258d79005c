//! Rows of `signing_key`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{ApiKeyId, OrganizationId, SigningKey};

use crate::column::{moment, moment_if_set, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "signing_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: String,
    pub organization_id: Uuid,
    pub title: String,
    pub created_at: i64,
    pub revoked_at: Option<i64>,
    pub expires_at: Option<i64>,
    pub made_by_key: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for SigningKey {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: parsed("signing_key.id", &row.id)?,
            organization_id: OrganizationId::from_uuid(row.organization_id),
            title: row.title,
            created_at: moment("signing_key.created_at", row.created_at)?,
            revoked_at: moment_if_set("signing_key.revoked_at", row.revoked_at)?,
            expires_at: moment_if_set("signing_key.expires_at", row.expires_at)?,
            made_by: row.made_by_key.map(ApiKeyId::from_uuid),
        })
    }
}

impl From<&SigningKey> for ActiveModel {
    fn from(key: &SigningKey) -> Self {
        Self {
            id: Set(key.id.to_string()),
            organization_id: Set(key.organization_id.uuid()),
            title: Set(key.title.clone()),
            created_at: Set(key.created_at.unix_millis()),
            revoked_at: Set(key.revoked_at.map(|at| at.unix_millis())),
            expires_at: Set(key.expires_at.map(|at| at.unix_millis())),
            made_by_key: Set(key.made_by.map(ApiKeyId::uuid)),
        }
    }
}
