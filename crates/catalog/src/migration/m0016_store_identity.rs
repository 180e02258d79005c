//! The object store that the database belongs to.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, big_integer_null, integer, text};

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::create()
            .table("store")
            // There is one row.
            .col(integer("id").primary_key())
            .col(text("identity"))
            .col(big_integer("made_at"))
            // Null until the store carries the identity too.
            .col(big_integer_null("tied_at"))
            .take();
        manager.create_table(table).await
    }
}
