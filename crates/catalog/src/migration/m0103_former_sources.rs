//! The file names that sources had which replacements took away, so that these can be put back.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0103_former_sources").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes: such replacements cannot be undone.
        add(db, "source_replacement", ColumnDef::new("former_file_name").text().null().take()).await
    }
}
