//! The recipes that each key and play session lists, whatever their names are. Renaming one rewrites no sessions.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    // The sessions of earlier versions, which renaming still rewrites.
    let mut rewritten = index("play_session", &["organization_id", "recipes"]);
    rewritten.and_where(Expr::col("recipes").is_null()).and_where(Expr::col("selection").is_not_null());
    Step::expand("m0106_session_recipes").change(Migration).index(rewritten)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "api_key", ColumnDef::new("recipes").json_binary().null().take()).await?;
        add(db, "play_session", ColumnDef::new("recipes").json_binary().null().take()).await
    }
}
