//! Keys that organizations sign delivery URLs with.

use super::columns::{big_integer, big_integer_null, text, uuid};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let table = Table::create()
            .table("signing_key")
            .col(text("id").primary_key())
            .col(uuid("organization_id"))
            .col(text("title"))
            .col(big_integer("created_at"))
            .col(big_integer_null("revoked_at"))
            .foreign_key(
                ForeignKey::create()
                    .name("fk_signing_key_organization")
                    .from("signing_key", "organization_id")
                    .to("organization", "id"),
            )
            .take();
        db.execute(&table).await?;
        let by_organization = Index::create()
            .name("signing_key_by_organization_id_created_at")
            .table("signing_key")
            .col("organization_id")
            .col("created_at")
            .take();
        db.execute(&by_organization).await.map(drop)
    }
}
