//! Browsers in which people have signed in before.

use super::columns::{big_integer, blob, uuid};
use super::prelude::*;

use super::pieces::index;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
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
        db.execute(&device).await?;
        // The table is new and empty, so its indexes are made with it.
        db.execute(&index("known_device", &["person_id", "seen_at"])).await?;
        db.execute(&index("known_device", &["seen_at"])).await.map(drop)
    }
}
