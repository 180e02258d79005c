//! What is said in a track, with times, so that a preview can show its own words; and who is at work on a request that
//! may be repeated, so that whoever took it over cannot be overtaken.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{json_binary, uuid};

use super::pieces::add;

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Beside the track and not in it: these are as long as the track's other columns together, and seldom read.
        let words = Table::create()
            .table("track_words")
            .col(uuid("track_id").primary_key())
            .col(json_binary("utterances"))
            .take();
        manager.create_table(words).await?;
        // NULL in rows that were written before: whoever is at work on those does not know of claims, and their time is
        // over in two minutes.
        add(manager, "idempotent_request", ColumnDef::new("claim").uuid().null().take()).await
    }
}
