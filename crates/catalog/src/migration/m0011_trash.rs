//! Until when what was deleted can be taken back.

use sea_orm_migration::prelude::*;

use super::pieces::add;

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["track", "collection"] {
            add(manager, table, moment("restorable_until")).await?;
        }
        // Only of tracks that were deleted by themselves: those that went with their collection are not listed.
        add(manager, "track", moment("trashed_at")).await?;
        for (table, column) in [("track", "trashed_at"), ("collection", "restorable_until")] {
            let index = Index::create()
                .name(format!("{table}_by_organization_id_{column}_id"))
                .table(table)
                .col("organization_id")
                .col(column)
                .col("id")
                .and_where(Expr::col(column).is_not_null())
                .take();
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

fn moment(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}
