//! Rows of `former_file`: files that were replaced or removed, as long as deliveries of them are counted.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "former_file")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub object_key: String,
    /// The length of the track when the file was in use.
    pub track_duration: f64,
    pub data: Option<Json>,
    pub replaced_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
