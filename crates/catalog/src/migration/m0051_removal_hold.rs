//! Backups that run, for which objects stay in the store.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, uuid};

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0051_removal_hold").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let hold = Table::create()
            .table("removal_hold")
            .col(uuid("id").primary_key())
            .col(big_integer("held_until"))
            .take();
        manager.create_table(hold).await
    }
}
