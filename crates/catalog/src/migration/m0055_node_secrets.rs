//! Which master secrets a node knows, so that a rotation does not go on before all of them know the new one.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0055_node_secrets").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        add(manager, "node", ColumnDef::new("master_secrets").text().null().take()).await
    }
}
