//! Rows of `person_identity`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{IdentityId, PersonId, PersonIdentity};

use crate::column::moment;
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "person_identity")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub person_id: Uuid,
    pub issuer: String,
    pub subject: String,
    pub email: Option<String>,
    pub linked_at: i64,
    pub used_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for PersonIdentity {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: IdentityId::from_uuid(row.id),
            person_id: PersonId::from_uuid(row.person_id),
            issuer: row.issuer,
            subject: row.subject,
            email: row.email,
            linked_at: moment("person_identity.linked_at", row.linked_at)?,
            used_at: moment("person_identity.used_at", row.used_at)?,
        })
    }
}

impl From<&PersonIdentity> for ActiveModel {
    fn from(identity: &PersonIdentity) -> Self {
        Self {
            id: Set(identity.id.uuid()),
            person_id: Set(identity.person_id.uuid()),
            issuer: Set(identity.issuer.clone()),
            subject: Set(identity.subject.clone()),
            email: Set(identity.email.clone()),
            linked_at: Set(identity.linked_at.unix_millis()),
            used_at: Set(identity.used_at.unix_millis()),
        }
    }
}
