//! Answers that are kept for clients that repeat a request.

use super::columns::{big_integer, blob, blob_null, text};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let table = Table::create()
            .table("idempotent_request")
            .col(blob("caller"))
            .col(text("idempotency_key"))
            .col(blob("fingerprint"))
            // Sealed; null while the first request is still being processed.
            .col(blob_null("answer"))
            .col(big_integer("expires_at"))
            .primary_key(Index::create().col("caller").col("idempotency_key"))
            .take();
        db.execute(&table).await?;
        let by_expiry = Index::create()
            .name("idempotent_request_by_expires_at")
            .table("idempotent_request")
            .col("expires_at")
            .take();
        db.execute(&by_expiry).await.map(drop)
    }
}
