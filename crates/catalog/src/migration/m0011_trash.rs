//! Until when what was deleted can be taken back.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["track", "collection"] {
            add(manager, table, "restorable_until").await?;
        }
        // Only of tracks that were deleted by themselves: those that went with their collection are not listed.
        add(manager, "track", "trashed_at").await?;
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

/// SQLite adds one column at a time.
async fn add(manager: &SchemaManager<'_>, table: &'static str, column: &'static str) -> Result<(), DbErr> {
    let column = ColumnDef::new(column).big_integer().null().take();
    manager.alter_table(Table::alter().table(table).add_column(column).take()).await
}
