//! Rows of `track_search`: what tracks are found by.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "track_search")]
pub struct Model {
    /// A number, as SQLite's full-text index names rows by numbers.
    #[sea_orm(primary_key)]
    pub id: i64,
    pub track_id: Uuid,
    pub organization_id: Uuid,
    pub collection_id: Uuid,
    pub text: String,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
