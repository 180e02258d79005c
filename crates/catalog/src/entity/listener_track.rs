//! Rows of `listener_track`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "listener_track")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i32,
    #[sea_orm(primary_key, auto_increment = false)]
    pub listener: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub folder: String,
    pub taken_micros: i64,
    pub segments: i64,
    pub is_listen: bool,
    pub playing_until: Option<i64>,
    pub share_key_id: Option<Uuid>,
    pub referrer: Option<String>,
    pub is_member: bool,
    pub country: Option<String>,
    pub excerpts: Option<String>,
    pub played: Option<String>,
    pub delivered_millis: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
