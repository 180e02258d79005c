//! Replacing the sources of tracks.

use super::columns::{big_integer, big_integer_null, blob_null, string, text_null, uuid};
use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0035_replacements").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // In a table of its own: the track does not change until all of its new files exist. The previous version
        // ignores the jobs that create them.
        let replacement = Table::create()
            .table("source_replacement")
            .col(uuid("track_id").primary_key())
            .col(uuid("id"))
            .col(uuid("organization_id"))
            .col(string("state"))
            .col(text_null("reason"))
            .col(text_null("file_name"))
            .col(text_null("source_key"))
            .col(big_integer_null("source_size"))
            .col(blob_null("source_sha256"))
            .col(big_integer("created_at"))
            .col(big_integer("expires_at"))
            .take();
        db.execute(&replacement).await?;
        let replaced = Table::create()
            .table("replaced_object")
            .col(string("object_key").primary_key())
            .col(big_integer("remove_at"))
            .take();
        db.execute(&replaced).await?;
        // The tables are new and empty, so their indexes are made with them.
        db.execute(&index("source_replacement", &["created_at"])).await?;
        db.execute(&index("source_replacement", &["source_key"])).await?;
        db.execute(&index("replaced_object", &["remove_at"])).await?;
        add(db, "upload", ColumnDef::new("replacement_id").uuid().null().take()).await
    }
}
