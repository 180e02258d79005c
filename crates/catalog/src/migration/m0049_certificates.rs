//! Certificates that nodes get by themselves, and what that takes.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, big_integer_null, blob, blob_null, integer, text, text_null, uuid_null,
};

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0049_certificates").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let account = Table::create()
            .table("acme_account")
            .col(text("directory").primary_key())
            .col(blob("sealed"))
            .take();
        manager.create_table(account).await?;
        let certificate = Table::create()
            .table("acme_certificate")
            .col(text("names").primary_key())
            .col(text_null("chain"))
            .col(blob_null("sealed_key"))
            .col(big_integer_null("not_before"))
            .col(big_integer_null("not_after"))
            .col(big_integer("order_at"))
            .col(uuid_null("lease_id"))
            .col(big_integer_null("leased_until"))
            .col(integer("failures").default(0))
            .col(text_null("last_error"))
            .col(big_integer_null("tried_at"))
            .take();
        manager.create_table(certificate).await?;
        let challenge = Table::create()
            .table("acme_challenge")
            .col(text("name").primary_key())
            .col(blob("digest"))
            .col(big_integer("expires_at"))
            .take();
        manager.create_table(challenge).await
    }
}
