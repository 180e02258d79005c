//! The country of each listener of the last days. Its sums are rows of `listen_sum`, as those of sites are.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0047_listen_countries").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Two letters. The version before leaves it null.
        add(manager, "listener_track", ColumnDef::new("country").text().null().take()).await
    }
}
