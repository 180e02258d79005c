//! What is stored under the names of covers, so that a damaged one is found.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0056_cover_objects").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["track", "collection", "organization"] {
            add(manager, table, ColumnDef::new("cover_objects").json_binary().null().take()).await?;
        }
        Ok(())
    }
}
