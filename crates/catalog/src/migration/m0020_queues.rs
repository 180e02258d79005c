//! Where jobs wait, and whose turn they take.

use sea_orm_migration::prelude::*;

use super::pieces::{add, index};

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Unknown for jobs that an earlier version queued, also beside this one: workers find out.
        add(manager, "job", ColumnDef::new("queue").text().null().take()).await?;
        add(manager, "job", ColumnDef::new("organization_id").uuid().null().take()).await?;
        let waits = || Expr::col("lease_id").is_null().and(Expr::col("failed_at").is_null());
        let turns = index("job", &["queue", "organization_id", "run_at", "id"]).and_where(waits()).take();
        manager.create_index(turns).await?;
        let due = index("job", &["queue", "run_at"]).and_where(waits()).take();
        manager.create_index(due).await?;
        let unsorted =
            index("job", &["id"]).and_where(waits()).and_where(Expr::col("queue").is_null()).take();
        manager.create_index(unsorted).await?;
        let held = Expr::col("lease_id").is_not_null().and(Expr::col("failed_at").is_null());
        manager.create_index(index("job", &["leased_until"]).and_where(held).take()).await
    }
}
