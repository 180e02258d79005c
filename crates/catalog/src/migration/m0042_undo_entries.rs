//! Changes of many tracks that can be taken back.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text, uuid};

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0042_undo_entries").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let undo = Table::create()
            .table("undo_entry")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid("person_id"))
            .col(text("change"))
            .col(big_integer("expires_at"))
            .take();
        manager.create_table(undo).await?;
        // The table is new and empty, so its indexes are made with it.
        manager.create_index(index("undo_entry", &["person_id", "id"])).await?;
        manager.create_index(index("undo_entry", &["expires_at"])).await
    }
}
