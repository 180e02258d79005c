//! The lengths and hashes of the files of covers, so that a damaged one is found.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0056_cover_objects").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["track", "collection", "organization"] {
            add(db, table, ColumnDef::new("cover_objects").json_binary().null().take()).await?;
        }
        Ok(())
    }
}
