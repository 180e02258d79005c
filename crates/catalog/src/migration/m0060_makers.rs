//! The API keys that made other credentials and opened sessions, and the ends of signing keys and webhooks.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    let by_maker = index("api_key", &["made_by_key", "id"])
        .name("made_api_key_by_made_by_key_id")
        .and_where(Expr::col("made_by_key").is_not_null())
        .take();
    Step::expand("m0060_makers").change(Migration).index(by_maker)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes: what its keys make is not known to be theirs.
        for table in ["api_key", "signing_key", "webhook"] {
            add(db, table, ColumnDef::new("made_by_key").uuid().null().take()).await?;
        }
        for table in ["play_session", "upload_session"] {
            add(db, table, ColumnDef::new("api_key_id").uuid().null().take()).await?;
        }
        for table in ["signing_key", "webhook"] {
            add(db, table, ColumnDef::new("expires_at").big_integer().null().take()).await?;
        }
        Ok(())
    }
}
