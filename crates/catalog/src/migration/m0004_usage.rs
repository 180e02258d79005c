//! Playback counts, and the batches of counts that were already added. Also the index for reading long lists of tracks.

use super::columns::{big_integer, integer, text, uuid};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&usage()).await?;
        db.execute(&usage_batch()).await?;
        let by_time =
            Index::create().name("usage_batch_by_added_at").table("usage_batch").col("added_at").take();
        db.execute(&by_time).await?;
        // Deleted tracks stay in the table; a list does not have to skip them.
        let living = Index::create()
            .name("track_living_by_collection_id_track_order_id")
            .table("track")
            .col("collection_id")
            .col("track_order")
            .col("id")
            .and_where(Expr::col("deleted_at").is_null())
            .take();
        db.execute(&living).await.map(drop)
    }
}

/// No foreign keys: one row with an unknown id must not keep out a batch of others.
fn usage() -> TableCreateStatement {
    Table::create()
        .table("usage")
        .col(uuid("organization_id"))
        // Days since 1970-01-01.
        .col(integer("day"))
        .col(text("folder"))
        // Empty if unknown: the columns of a primary key are never null.
        .col(text("variant"))
        .col(big_integer("stream_redirects"))
        .col(big_integer("track_fetches"))
        .col(big_integer("downloads"))
        .col(big_integer("starts"))
        .col(big_integer("bytes"))
        .primary_key(Index::create().col("organization_id").col("day").col("folder").col("variant"))
        .take()
}

fn usage_batch() -> TableCreateStatement {
    Table::create().table("usage_batch").col(uuid("id").primary_key()).col(big_integer("added_at")).take()
}
