//! Whether shared caches may store the files of a recipe.

use sea_orm_migration::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0027_cache_policy").change(Migration)
}

#[derive(DeriveMigrationName)]
struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // What the version before adds is for listeners alone.
        add(manager, "variant", ColumnDef::new("cache").text().not_null().default("private").take()).await
    }
}
