//! On whose right the uploads in progress depend.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0090_upload_openers").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes: such an upload ends after a week at the latest.
        for column in ["api_key_id", "person_id"] {
            add(db, "upload", ColumnDef::new(column).uuid().null().take()).await?;
        }
        Ok(())
    }
}
