//! Whether shared caches may store the files of a recipe.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0027_cache_policy").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Recipes that the previous version adds are for listeners only.
        add(db, "variant", ColumnDef::new("cache").text().not_null().default("private").take()).await
    }
}
