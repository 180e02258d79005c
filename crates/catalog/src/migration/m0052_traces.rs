//! The traces that jobs and webhook deliveries belong to.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0052_traces").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // What the version before queues has none, and begins a trace.
        for table in ["job", "webhook_delivery"] {
            add(manager, table, ColumnDef::new("traceparent").text().null().take()).await?;
        }
        Ok(())
    }
}
