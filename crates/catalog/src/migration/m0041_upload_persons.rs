//! The people who upload from the dashboard, so that the audit log names them.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0041_upload_persons").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes: its uploads belong to the holder of the URL.
        for table in ["upload_session", "source_replacement"] {
            add(db, table, ColumnDef::new("person_id").uuid().null().take()).await?;
        }
        Ok(())
    }
}
