//! Replaced secrets of keys, which stay valid for a while, and when master secrets were in use.

use super::columns::{big_integer, blob_uniq, text, uuid};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0048_rotations").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Until it is replaced, the previous version accepts only the new secret of a key.
        let old = Table::create()
            .table("old_api_key")
            .col(uuid("api_key_id").primary_key())
            .col(blob_uniq("key_hash"))
            .col(big_integer("valid_until"))
            .foreign_key(
                ForeignKey::create()
                    .name("old_api_key_api_key")
                    .from("old_api_key", "api_key_id")
                    .to("api_key", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .take();
        db.execute(&old).await?;
        // The table is new and empty, so its index is made with it.
        db.execute(&index("old_api_key", &["valid_until"])).await?;
        let master = Table::create()
            .table("master_secret")
            .col(text("fingerprint").primary_key())
            .col(big_integer("first_at"))
            .col(big_integer("last_at"))
            .take();
        db.execute(&master).await.map(drop)
    }
}
