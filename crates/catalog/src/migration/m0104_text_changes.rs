//! The texts of tracks that replacements changed, so that they can be changed back.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0104_text_changes").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "source_replacement", ColumnDef::new("text_changes").json_binary().null().take()).await
    }
}
