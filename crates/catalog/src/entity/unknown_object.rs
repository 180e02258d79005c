//! Rows of `unknown_object`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "unknown_object")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    pub first_seen: i64,
    pub last_sweep: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
