//! Transcription: how each organization has it done, and what became of each track.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, blob_null, text, text_null, uuid};

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(settings()).await?;
        manager.create_table(transcription()).await?;
        let by_state = Index::create()
            .name("transcription_by_organization_id_state")
            .table("transcription")
            .col("organization_id")
            .col("state")
            .take();
        manager.create_index(by_state).await
    }
}

fn settings() -> TableCreateStatement {
    Table::create()
        .table("transcription_settings")
        .col(uuid("organization_id").primary_key())
        .col(text("base_url"))
        // Sealed.
        .col(blob_null("key"))
        .col(text("model"))
        .col(text_null("language"))
        .take()
}

fn transcription() -> TableCreateStatement {
    Table::create()
        .table("transcription")
        .col(uuid("track_id").primary_key())
        .col(uuid("organization_id"))
        .col(text("state"))
        .col(text_null("reason"))
        .col(big_integer("updated_at"))
        .take()
}
