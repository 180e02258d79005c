//! What is said in a track, with times, so that a preview can show its own words; and who is at work on a request that
//! may be repeated, so that whoever took it over cannot be overtaken.

use super::columns::{json_binary, uuid};
use super::prelude::*;

use super::pieces::add;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Beside the track and not in it: these are as long as the track's other columns together, and seldom read.
        let words = Table::create()
            .table("track_words")
            .col(uuid("track_id").primary_key())
            .col(json_binary("utterances"))
            .take();
        db.execute(&words).await?;
        // NULL in rows that were written before: whoever is at work on those does not know of claims, and their time is
        // over in two minutes.
        add(db, "idempotent_request", ColumnDef::new("claim").uuid().null().take()).await
    }
}
