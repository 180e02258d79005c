//! Accounts of people at an OpenID Connect provider, and sign-ins with it that cannot be repeated.

use super::columns::{big_integer, blob, text, text_null, uuid};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0044_identities").change(Migration).index(index("invitation", &["email"]))
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let identity = Table::create()
            .table("person_identity")
            .col(uuid("id").primary_key())
            .col(uuid("person_id"))
            .col(text("issuer"))
            .col(text("subject"))
            .col(text_null("email"))
            .col(big_integer("linked_at"))
            .col(big_integer("used_at"))
            .foreign_key(
                ForeignKey::create()
                    .name("person_identity_person")
                    .from("person_identity", "person_id")
                    .to("person", "id")
                    .on_delete(ForeignKeyAction::Cascade),
            )
            .take();
        db.execute(&identity).await?;
        // The tables are new and empty, so their indexes are made with them.
        db.execute(&index("person_identity", &["issuer", "subject"]).unique().take()).await?;
        db.execute(&index("person_identity", &["person_id", "id"])).await?;
        let state = Table::create()
            .table("sign_in_state")
            .col(blob("hash").primary_key())
            .col(big_integer("expires_at"))
            .take();
        db.execute(&state).await?;
        db.execute(&index("sign_in_state", &["expires_at"])).await.map(drop)
    }
}
