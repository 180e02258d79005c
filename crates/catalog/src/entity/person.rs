//! Rows of `person`.

use sea_orm::entity::prelude::*;
use sea_orm::{NotSet, Set};
use tonearm_domain::{Person, PersonId};

use crate::column::{moment, moment_if_set, parsed, parsed_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "person")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub email: String,
    pub name: String,
    pub password_hash: String,
    pub is_administrator: bool,
    pub created_at: i64,
    pub disabled_at: Option<i64>,
    pub language: Option<String>,
    pub claimed_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Person {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: PersonId::from_uuid(row.id),
            email: parsed("person.email", &row.email)?,
            name: row.name,
            is_administrator: row.is_administrator,
            created_at: moment("person.created_at", row.created_at)?,
            disabled_at: moment_if_set("person.disabled_at", row.disabled_at)?,
            language: parsed_if_set("person.language", row.language.as_deref())?,
        })
    }
}

impl From<&Person> for ActiveModel {
    /// All columns but the password's hash and when the account was claimed, which the record does not contain.
    fn from(person: &Person) -> Self {
        Self {
            id: Set(person.id.uuid()),
            email: Set(person.email.to_string()),
            name: Set(person.name.clone()),
            password_hash: NotSet,
            is_administrator: Set(person.is_administrator),
            created_at: Set(person.created_at.unix_millis()),
            disabled_at: Set(person.disabled_at.map(|at| at.unix_millis())),
            language: Set(person.language.map(|language| language.to_string())),
            claimed_at: NotSet,
        }
    }
}
