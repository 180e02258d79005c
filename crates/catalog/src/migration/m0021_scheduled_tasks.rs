//! When what is done once for all nodes is done next.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, text};

#[derive(DeriveMigrationName)]
pub(super) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let mut task = Table::create();
        task.table("scheduled_task").col(text("name").primary_key()).col(big_integer("next_run"));
        manager.create_table(task).await
    }
}
