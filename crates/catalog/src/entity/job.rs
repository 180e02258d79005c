//! Rows of `job`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "job")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub kind: String,
    pub payload: Json,
    pub unique_key: Option<String>,
    pub attempts: i32,
    pub failures: i32,
    pub run_at: i64,
    pub lease_id: Option<Uuid>,
    pub leased_until: Option<i64>,
    pub last_error: Option<String>,
    pub failed_at: Option<i64>,
    pub track_id: Option<Uuid>,
    pub waits_for: Option<String>,
    pub failing_since: Option<i64>,
    pub probe_at: Option<i64>,
    pub deaths: i32,
    pub deaths_alone: i32,
    pub trial_until: Option<i64>,
    pub queue: Option<String>,
    pub organization_id: Option<Uuid>,
    pub traceparent: Option<String>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
