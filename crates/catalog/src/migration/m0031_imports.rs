//! Sources that are fetched from a URL.

use super::columns::{big_integer, big_integer_null, blob, boolean, text, uuid};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0031_imports").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // In a table of its own: a row exists only while its source is being fetched. The previous version ignores the
        // jobs that fetch sources.
        let import = Table::create()
            .table("source_import")
            .col(uuid("track_id").primary_key())
            .col(uuid("organization_id"))
            .col(blob("url"))
            .col(text("host"))
            .col(boolean("is_named"))
            .col(big_integer("received").default(0))
            .col(big_integer_null("size"))
            .col(big_integer("created_at"))
            .take();
        db.execute(&import).await?;
        // The table is new and empty, so its index is made with it.
        db.execute(&index("source_import", &["organization_id", "track_id"])).await.map(drop)
    }
}
