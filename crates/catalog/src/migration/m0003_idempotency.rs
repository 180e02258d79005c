//! Answers that are kept for a client that asks again.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, blob, blob_null, text};

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("idempotent_request")
            .col(blob("caller"))
            .col(text("idempotency_key"))
            .col(blob("fingerprint"))
            // Sealed; null while the first request is still being answered.
            .col(blob_null("answer"))
            .col(big_integer("expires_at"))
            .primary_key(Index::create().col("caller").col("idempotency_key"))
            .take();
        manager.create_table(table).await?;
        let by_expiry = Index::create()
            .name("idempotent_request_by_expires_at")
            .table("idempotent_request")
            .col("expires_at")
            .take();
        manager.create_index(by_expiry).await
    }
}
