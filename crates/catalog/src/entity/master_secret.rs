//! Rows of `master_secret`.

use sea_orm::entity::prelude::*;
use tonearm_domain::MasterSecretUse;

use crate::column::moment;
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "master_secret")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub fingerprint: String,
    pub first_at: i64,
    pub last_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for MasterSecretUse {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            fingerprint: row.fingerprint,
            first_at: moment("master_secret.first_at", row.first_at)?,
            last_at: moment("master_secret.last_at", row.last_at)?,
        })
    }
}
