//! Rows of `track_search`: the text by which searches find tracks.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "track_search")]
pub struct Model {
    /// A number, because SQLite's full-text index identifies rows by number.
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
