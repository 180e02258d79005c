//! The progress of the sweep of the object store, and the objects it found that no row refers to.

use super::columns::{big_integer, big_integer_null, boolean, integer, text, text_null};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&sweep()).await?;
        let unknown = Table::create()
            .table("unknown_object")
            .col(text("object_key").primary_key())
            .col(big_integer("first_seen"))
            // When the last sweep that found it began.
            .col(big_integer("last_sweep"))
            .take();
        db.execute(&unknown).await.map(drop)
    }
}

fn sweep() -> TableCreateStatement {
    Table::create()
        .table("sweep")
        // There is one row.
        .col(integer("id").primary_key())
        .col(boolean("is_running"))
        .col(big_integer("started_at"))
        .col(text_null("last_key"))
        .col(big_integer("seen"))
        .col(big_integer("unknown"))
        .col(big_integer("removed"))
        .col(big_integer_null("finished_at"))
        .col(big_integer("due"))
        .col(big_integer_null("due_until"))
        .col(big_integer_null("confirmed_until"))
        .col(text_null("refusal"))
        .take()
}
