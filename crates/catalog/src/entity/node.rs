//! Rows of `node`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "node")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub name: String,
    pub address: String,
    pub version: String,
    pub roles: String,
    pub started_at: i64,
    pub seen_at: i64,
    pub clock_ahead_millis: Option<i64>,
    pub ended_jobs: Option<String>,
    pub master_secrets: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
