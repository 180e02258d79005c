//! The traces that jobs and webhook deliveries belong to.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0052_traces").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version queues: these begin a trace.
        for table in ["job", "webhook_delivery"] {
            add(db, table, ColumnDef::new("traceparent").text().null().take()).await?;
        }
        Ok(())
    }
}
