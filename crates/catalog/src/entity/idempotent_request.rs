//! Rows of `idempotent_request`.

use sea_orm::entity::prelude::*;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotent_request")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub caller: Vec<u8>,
    #[sea_orm(primary_key, auto_increment = false)]
    pub idempotency_key: String,
    pub fingerprint: Vec<u8>,
    pub answer: Option<Vec<u8>>,
    pub expires_at: i64,
    /// The claim of the request that is being processed, while there is no answer.
    pub claim: Option<Uuid>,
    /// Null in rows of an earlier version.
    pub organization_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}
