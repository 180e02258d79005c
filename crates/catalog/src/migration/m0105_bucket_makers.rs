//! The API keys that set credentials for buckets, and when these end with them.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0105_bucket_makers").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "import_bucket", ColumnDef::new("made_by_key").uuid().null().take()).await?;
        add(db, "import_bucket", ColumnDef::new("expires_at").big_integer().null().take()).await
    }
}
