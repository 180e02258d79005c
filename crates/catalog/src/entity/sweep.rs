//! The row of `sweep`.

use sea_orm::entity::prelude::*;

/// The id of the only row.
pub(crate) const ONLY: i32 = 1;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "sweep")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i32,
    pub is_running: bool,
    pub started_at: i64,
    pub last_key: Option<String>,
    pub seen: i64,
    pub unknown: i64,
    pub removed: i64,
    pub finished_at: Option<i64>,
    pub due: i64,
    pub due_until: Option<i64>,
    pub confirmed_until: Option<i64>,
    pub refusal: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
