//! Rows of `failed_sign_in`.

use sea_orm::entity::prelude::*;
use tonearm_domain::FailedSignIns;

use crate::column::{corrupt, moment};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "failed_sign_in")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub subject: Vec<u8>,
    pub count: i32,
    pub last_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for FailedSignIns {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            count: u32::try_from(row.count).map_err(|_| corrupt("failed_sign_in.count"))?,
            last_at: moment("failed_sign_in.last_at", row.last_at)?,
        })
    }
}
