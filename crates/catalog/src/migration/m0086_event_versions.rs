//! The versions of events, and the order of deliveries about the same record.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0086_event_versions").change(Migration).index(waiting_of_record())
}

fn waiting_of_record() -> IndexCreateStatement {
    Index::create()
        .name("waiting_webhook_delivery_by_record")
        .table("webhook_delivery")
        .col("webhook_id")
        .col("record_id")
        .col("version")
        .and_where(Expr::col("finished_at").is_null().and(Expr::col("record_id").is_not_null()))
        .take()
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["track", "collection", "webhook"] {
            add(db, table, ColumnDef::new("event_version").big_integer().not_null().default(0).take())
                .await?;
        }
        // Null in rows that the previous version queues: they are sent in no order, as before.
        add(db, "webhook_delivery", ColumnDef::new("record_id").uuid().null().take()).await?;
        add(db, "webhook_delivery", ColumnDef::new("version").big_integer().null().take()).await
    }
}
