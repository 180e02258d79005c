//! The texts of share links, so that they can be copied again; and transcripts that people edited.

use super::columns::{blob, uuid};
use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    // The share links of a track and of a collection, without those that were revoked.
    let by_track = index("api_key", &["track_id", "id"])
        .name("valid_api_key_by_track_id_id")
        .and_where(Expr::col("revoked_at").is_null())
        .and_where(Expr::col("track_id").is_not_null())
        .take();
    let by_collection = index("api_key", &["collection_id", "id"])
        .name("valid_api_key_by_collection_id_id")
        .and_where(Expr::col("revoked_at").is_null())
        .and_where(Expr::col("track_id").is_null())
        .take();
    Step::expand("m0039_share_links").change(Migration).index(by_track).index(by_collection)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // In a table of its own: keys are read for each request, their texts hardly ever. The previous version revokes
        // keys and leaves the text, which then gives no access.
        let text = Table::create()
            .table("share_key_text")
            .col(uuid("api_key_id").primary_key())
            .col(blob("sealed"))
            .take();
        db.execute(&text).await?;
        // The previous version transcribes again whenever it is requested.
        let edited = ColumnDef::new("edited_at").big_integer().null().take();
        add(db, "transcription", edited).await
    }
}
