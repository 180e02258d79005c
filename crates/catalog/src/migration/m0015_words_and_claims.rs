//! The words of a track with times, so that a preview can show its own words. Also the claim on a repeatable request,
//! so that the previous holder cannot overtake a request that took it over.

use super::columns::{json_binary, uuid};
use super::prelude::*;

use super::pieces::add;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // In a table of its own: the words are as long as the track's other columns together, and seldom read.
        let words = Table::create()
            .table("track_words")
            .col(uuid("track_id").primary_key())
            .col(json_binary("utterances"))
            .take();
        db.execute(&words).await?;
        // NULL in rows that were written before: the versions that process these requests do not know claims, and the
        // rows expire within two minutes.
        add(db, "idempotent_request", ColumnDef::new("claim").uuid().null().take()).await
    }
}
