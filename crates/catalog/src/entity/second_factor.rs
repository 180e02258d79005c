//! Rows of `second_factor`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{PersonId, SecondFactor};

use crate::column::{moment, moment_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factor")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub person_id: Uuid,
    pub secret: Vec<u8>,
    pub created_at: i64,
    pub confirmed_at: Option<i64>,
    pub last_step: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for SecondFactor {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            person_id: PersonId::from_uuid(row.person_id),
            secret: row.secret,
            created_at: moment("second_factor.created_at", row.created_at)?,
            confirmed_at: moment_if_set("second_factor.confirmed_at", row.confirmed_at)?,
            last_step: row.last_step,
        })
    }
}

impl From<&SecondFactor> for ActiveModel {
    fn from(factor: &SecondFactor) -> Self {
        Self {
            person_id: Set(factor.person_id.uuid()),
            secret: Set(factor.secret.clone()),
            created_at: Set(factor.created_at.unix_millis()),
            confirmed_at: Set(factor.confirmed_at.map(|at| at.unix_millis())),
            last_step: Set(factor.last_step),
        }
    }
}
