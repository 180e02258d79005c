//! Certificates that nodes obtain by themselves, and the records needed for that.

use super::columns::{big_integer, big_integer_null, blob, blob_null, integer, text, text_null, uuid_null};
use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0049_certificates").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let account = Table::create()
            .table("acme_account")
            .col(text("directory").primary_key())
            .col(blob("sealed"))
            .take();
        db.execute(&account).await?;
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
        db.execute(&certificate).await?;
        let challenge = Table::create()
            .table("acme_challenge")
            .col(text("name").primary_key())
            .col(blob("digest"))
            .col(big_integer("expires_at"))
            .take();
        db.execute(&challenge).await.map(drop)
    }
}
