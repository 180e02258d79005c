//! Rows of `sign_in`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{PersonId, SignIn, SignInId};

use crate::column::{foreign_text, moment, parsed_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sign_in")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub person_id: Uuid,
    pub token_hash: Vec<u8>,
    pub address: Option<String>,
    pub user_agent: Option<String>,
    pub created_at: i64,
    pub seen_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {
    #[sea_orm(
        belongs_to = "super::person::Entity",
        from = "Column::PersonId",
        to = "super::person::Column::Id"
    )]
    Person,
}

impl Related<super::person::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Person.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for SignIn {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: SignInId::from_uuid(row.id),
            person_id: PersonId::from_uuid(row.person_id),
            address: parsed_if_set("sign_in.address", row.address.as_deref())?,
            user_agent: row.user_agent,
            created_at: moment("sign_in.created_at", row.created_at)?,
            seen_at: moment("sign_in.seen_at", row.seen_at)?,
        })
    }
}

impl From<&SignIn> for ActiveModel {
    /// All columns but the hash of the cookie's secret, which the record does not contain.
    fn from(sign_in: &SignIn) -> Self {
        Self {
            id: Set(sign_in.id.uuid()),
            person_id: Set(sign_in.person_id.uuid()),
            token_hash: NotSet,
            address: Set(sign_in.address.map(|address| address.to_string())),
            user_agent: Set(sign_in.user_agent.as_deref().map(foreign_text)),
            created_at: Set(sign_in.created_at.unix_millis()),
            seen_at: Set(sign_in.seen_at.unix_millis()),
        }
    }
}
