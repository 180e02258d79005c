//! Buckets that organizations import files from.

use super::columns::{big_integer, blob, text, text_null, uuid};
use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0036_import_buckets").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // The previous version fails imports from buckets, because it takes their addresses for URLs without a host.
        let bucket = Table::create()
            .table("import_bucket")
            .col(uuid("organization_id"))
            .col(text("bucket"))
            .col(text_null("endpoint"))
            .col(text("region"))
            .col(text("access_key_id"))
            .col(blob("secret"))
            .col(big_integer("created_at"))
            .primary_key(Index::create().col("organization_id").col("bucket"))
            .take();
        db.execute(&bucket).await.map(drop)
    }
}
