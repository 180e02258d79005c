//! The API keys that made the tracks and replacements which wait for uploads.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0096_upload_makers").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes: uploads to their URLs end after a week at the latest.
        for table in ["track", "source_replacement"] {
            add(db, table, ColumnDef::new("api_key_id").uuid().null().take()).await?;
        }
        Ok(())
    }
}
