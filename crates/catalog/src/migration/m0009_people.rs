//! People, their memberships in organizations, their sign-ins, and the last use of keys.

use super::columns::{
    big_integer, big_integer_null, blob, boolean, integer, text, text_null, uuid, uuid_null,
};
use super::prelude::*;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in [person(), membership(), sign_in(), invitation(), failed_sign_in()] {
            db.execute(&table).await?;
        }
        for (name, table, column, unique) in [
            ("person_by_email", "person", "email", true),
            ("membership_by_person_id", "membership", "person_id", false),
            ("sign_in_by_token_hash", "sign_in", "token_hash", true),
            ("sign_in_by_person_id", "sign_in", "person_id", false),
            ("sign_in_by_seen_at", "sign_in", "seen_at", false),
            ("invitation_by_token_hash", "invitation", "token_hash", true),
            ("invitation_by_organization_id", "invitation", "organization_id", false),
            ("invitation_by_expires_at", "invitation", "expires_at", false),
            ("failed_sign_in_by_last_at", "failed_sign_in", "last_at", false),
        ] {
            let mut index = Index::create().name(name).table(table).col(column).take();
            if unique {
                index.unique();
            }
            db.execute(&index).await?;
        }
        let last_used = ColumnDef::new("last_used_at").big_integer().null().take();
        db.execute(&Table::alter().table("api_key").add_column(last_used).take()).await.map(drop)
    }
}

fn person() -> TableCreateStatement {
    Table::create()
        .table("person")
        .col(uuid("id").primary_key())
        .col(text("email"))
        .col(text("name"))
        .col(text("password_hash"))
        .col(boolean("is_administrator"))
        .col(big_integer("created_at"))
        .take()
}

fn membership() -> TableCreateStatement {
    Table::create()
        .table("membership")
        .col(uuid("organization_id"))
        .col(uuid("person_id"))
        .col(text("role"))
        .col(big_integer("created_at"))
        .primary_key(Index::create().col("organization_id").col("person_id"))
        .foreign_key(&mut belongs_to("membership", "organization"))
        .foreign_key(&mut belongs_to("membership", "person"))
        .take()
}

fn sign_in() -> TableCreateStatement {
    Table::create()
        .table("sign_in")
        .col(uuid("id").primary_key())
        .col(uuid("person_id"))
        .col(blob("token_hash"))
        .col(text_null("address"))
        .col(text_null("user_agent"))
        .col(big_integer("created_at"))
        .col(big_integer("seen_at"))
        .foreign_key(&mut belongs_to("sign_in", "person"))
        .take()
}

fn invitation() -> TableCreateStatement {
    Table::create()
        .table("invitation")
        .col(uuid("id").primary_key())
        .col(blob("token_hash"))
        .col(text("purpose"))
        .col(uuid_null("organization_id"))
        .col(text_null("role"))
        .col(text_null("email"))
        .col(uuid_null("person_id"))
        .col(big_integer("created_at"))
        .col(big_integer("expires_at"))
        .col(big_integer_null("used_at"))
        .foreign_key(&mut belongs_to("invitation", "organization"))
        .foreign_key(&mut belongs_to("invitation", "person"))
        .take()
}

/// Counted by account or by address: `subject` is a hash of either.
fn failed_sign_in() -> TableCreateStatement {
    Table::create()
        .table("failed_sign_in")
        .col(blob("subject").primary_key())
        .col(integer("count"))
        .col(big_integer("last_at"))
        .take()
}

fn belongs_to(table: &'static str, owner: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("{table}_{owner}"))
        .from(table, format!("{owner}_id"))
        .to(owner, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .take()
}
