//! Browsers in which people have signed in before.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, blob, uuid};

use super::pieces::index;

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut person = ForeignKey::create()
            .name("known_device_person")
            .from("known_device", "person_id")
            .to("person", "id")
            .on_delete(ForeignKeyAction::Cascade)
            .take();
        let device = Table::create()
            .table("known_device")
            .col(blob("token_hash").primary_key())
            .col(uuid("person_id"))
            .col(big_integer("seen_at"))
            .foreign_key(&mut person)
            .take();
        manager.create_table(device).await?;
        // The table is new and empty, so its indexes are made with it.
        manager.create_index(index("known_device", &["person_id", "seen_at"])).await?;
        manager.create_index(index("known_device", &["seen_at"])).await
    }
}
