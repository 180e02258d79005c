//! The object store that the database belongs to.

use super::columns::{big_integer, big_integer_null, integer, text};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let table = Table::create()
            .table("store")
            // There is one row.
            .col(integer("id").primary_key())
            .col(text("identity"))
            .col(big_integer("made_at"))
            // Null until the store carries the identity too.
            .col(big_integer_null("tied_at"))
            .take();
        db.execute(&table).await.map(drop)
    }
}
