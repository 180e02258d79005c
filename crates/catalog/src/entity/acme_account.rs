//! Rows of `acme_account`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_account")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub directory: String,
    pub sealed: Vec<u8>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
