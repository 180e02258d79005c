//! Uploads that can be resumed.

use super::columns::{
    big_integer, big_integer_null, blob_null, boolean, string, string_null, text, text_null, uuid, uuid_null,
};
use super::prelude::*;

use super::pieces::index;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let upload = Table::create()
            .table("upload")
            .col(uuid("id").primary_key())
            .col(uuid("organization_id"))
            .col(uuid_null("track_id"))
            .col(string("kind"))
            .col(boolean("is_complete").default(false))
            .col(string("folder"))
            .col(string("version"))
            .col(big_integer_null("length"))
            .col(big_integer("offset").default(0))
            .col(blob_null("sha256"))
            .col(text_null("metadata"))
            .col(text("draft"))
            .col(string_null("object_key"))
            .col(big_integer("created_at"))
            .col(big_integer("expires_at"))
            .col(uuid_null("lease_id"))
            .col(big_integer_null("leased_until"))
            .col(boolean("is_wanted").default(false))
            .take();
        db.execute(&upload).await?;
        // The table is new and empty, so its indexes are made with it.
        db.execute(&index("upload", &["track_id"])).await?;
        db.execute(&index("upload", &["expires_at"])).await.map(drop)
    }
}
