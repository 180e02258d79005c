//! Rows of `old_api_key`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "old_api_key")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub api_key_id: Uuid,
    pub key_hash: Vec<u8>,
    pub valid_until: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
