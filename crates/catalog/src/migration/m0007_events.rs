//! Webhooks with their deliveries, and the audit log.

use super::columns::{
    big_integer, big_integer_null, blob, blob_null, integer, integer_null, text, text_null, uuid, uuid_null,
};
use super::prelude::*;

use super::pieces::index;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in [webhook(), webhook_delivery(), webhook_attempt(), audit_entry()] {
            db.execute(&table).await?;
        }
        for index in indexes() {
            db.execute(&index).await?;
        }
        // Nothing was ever sent to these addresses. An address is used once it has a secret.
        let forget = Query::update()
            .table("organization")
            .value("webhook_url", None::<String>)
            .value("webhook_url_file", None::<String>)
            .value("webhook_url_collection", None::<String>)
            .take();
        db.execute(&forget).await?;
        Ok(())
    }
}

fn webhook() -> TableCreateStatement {
    Table::create()
        .table("webhook")
        .col(uuid("id").primary_key())
        .col(uuid("organization_id"))
        .col(text("kind"))
        .col(text("url"))
        // Sealed, both.
        .col(blob("secret"))
        .col(blob_null("old_secret"))
        .col(big_integer_null("rotated_at"))
        .col(integer("failures"))
        .col(big_integer_null("paused_until"))
        .col(big_integer("created_at"))
        .foreign_key(&mut belongs_to("webhook", "organization_id", "organization"))
        .take()
}

fn webhook_delivery() -> TableCreateStatement {
    Table::create()
        .table("webhook_delivery")
        .col(uuid("id").primary_key())
        .col(uuid("webhook_id"))
        .col(uuid("organization_id"))
        .col(text("event"))
        .col(uuid("subject_id"))
        .col(text("payload"))
        .col(text("state"))
        .col(integer("attempts"))
        .col(integer("failures"))
        // Null once it is finished. While it is being sent, when its lease expires.
        .col(big_integer_null("due_at"))
        .col(uuid_null("lease_id"))
        .col(big_integer("created_at"))
        .col(big_integer("queued_at"))
        .col(big_integer_null("finished_at"))
        .foreign_key(&mut belongs_to("webhook_delivery", "webhook_id", "webhook"))
        .take()
}

fn webhook_attempt() -> TableCreateStatement {
    Table::create()
        .table("webhook_attempt")
        .col(uuid("delivery_id"))
        .col(integer("number"))
        .col(text("url"))
        .col(big_integer("started_at"))
        .col(integer("duration_ms"))
        .col(integer_null("status"))
        .col(text("response"))
        .col(text_null("error"))
        .primary_key(Index::create().col("delivery_id").col("number"))
        .foreign_key(&mut belongs_to("webhook_attempt", "delivery_id", "webhook_delivery"))
        .take()
}

/// No foreign keys: an entry outlives what it is about.
fn audit_entry() -> TableCreateStatement {
    Table::create()
        .table("audit_entry")
        .col(uuid("id").primary_key())
        .col(uuid_null("organization_id"))
        .col(big_integer("at"))
        .col(text("actor"))
        .col(uuid_null("actor_id"))
        .col(text_null("address"))
        .col(text("action"))
        .col(uuid_null("subject_id"))
        .col(text_null("title"))
        .take()
}

fn belongs_to(table: &'static str, column: &'static str, parent: &'static str) -> ForeignKeyCreateStatement {
    ForeignKey::create()
        .name(format!("fk_{table}_{parent}"))
        .from(table, column)
        .to(parent, "id")
        .on_delete(ForeignKeyAction::Cascade)
        .take()
}

fn indexes() -> Vec<IndexCreateStatement> {
    vec![
        index("webhook", &["organization_id", "kind"]).unique().take(),
        index("webhook_delivery", &["webhook_id", "due_at"])
            .and_where(Expr::col("due_at").is_not_null())
            .take(),
        index("webhook_delivery", &["organization_id", "id"]),
        index("webhook_delivery", &["finished_at"]).and_where(Expr::col("finished_at").is_not_null()).take(),
        index("audit_entry", &["organization_id", "id"]),
    ]
}
