//! Secrets of keys that were replaced and work on for a while, and when master secrets were in use.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, blob_uniq, text, uuid};

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0048_rotations").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The version before knows a key by its new secret only, until it is replaced.
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
        manager.create_table(old).await?;
        // The table is new and empty, so its index is made with it.
        manager.create_index(index("old_api_key", &["valid_until"])).await?;
        let master = Table::create()
            .table("master_secret")
            .col(text("fingerprint").primary_key())
            .col(big_integer("first_at"))
            .col(big_integer("last_at"))
            .take();
        manager.create_table(master).await
    }
}
