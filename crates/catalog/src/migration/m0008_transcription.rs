//! Transcription: the settings of each organization, and the state of each track.

use super::columns::{big_integer, blob_null, text, text_null, uuid};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&settings()).await?;
        db.execute(&transcription()).await?;
        let by_state = Index::create()
            .name("transcription_by_organization_id_state")
            .table("transcription")
            .col("organization_id")
            .col("state")
            .take();
        db.execute(&by_state).await.map(drop)
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
