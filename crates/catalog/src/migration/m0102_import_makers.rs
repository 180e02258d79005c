//! The people who requested imports.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0102_import_makers").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes. Imports end after hours.
        add(db, "source_import", ColumnDef::new("person_id").uuid().null().take()).await
    }
}
