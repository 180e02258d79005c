//! The persons who upload from the dashboard, so that the audit log names them.

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
        // What the version before writes has none: its uploads are those of whoever holds the URL.
        for table in ["upload_session", "source_replacement"] {
            add(db, table, ColumnDef::new("person_id").uuid().null().take()).await?;
        }
        Ok(())
    }
}
