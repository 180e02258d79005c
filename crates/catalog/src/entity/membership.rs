//! Rows of `membership`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{Membership, OrganizationId, PersonId};

use crate::column::{moment, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "membership")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub person_id: Uuid,
    pub role: String,
    pub created_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::person::Entity",
        from = "Column::PersonId",
        to = "super::person::Column::Id"
    )]
    Person,
    #[sea_orm(
        belongs_to = "super::organization::Entity",
        from = "Column::OrganizationId",
        to = "super::organization::Column::Id"
    )]
    Organization,
}

impl Related<super::person::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Person.def()
    }
}

impl Related<super::organization::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Organization.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Membership {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            organization_id: OrganizationId::from_uuid(row.organization_id),
            person_id: PersonId::from_uuid(row.person_id),
            role: parsed("membership.role", &row.role)?,
            created_at: moment("membership.created_at", row.created_at)?,
        })
    }
}

impl From<&Membership> for ActiveModel {
    fn from(membership: &Membership) -> Self {
        Self {
            organization_id: Set(membership.organization_id.uuid()),
            person_id: Set(membership.person_id.uuid()),
            role: Set(membership.role.as_str().to_owned()),
            created_at: Set(membership.created_at.unix_millis()),
        }
    }
}
