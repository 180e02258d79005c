//! Changes of many tracks that can be undone.

use super::columns::{big_integer, text, uuid};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0042_undo_entries").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let undo = Table::create()
            .table("undo_entry")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("person_id"))
            .col(text("change"))
            .col(big_integer("expires_at"))
            .take();
        db.execute(&undo).await?;
        // The table is new and empty, so its indexes are made with it.
        db.execute(&index("undo_entry", &["person_id", "id"])).await?;
        db.execute(&index("undo_entry", &["expires_at"])).await.map(drop)
    }
}
