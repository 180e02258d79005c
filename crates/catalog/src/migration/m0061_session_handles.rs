//! Names of sessions for lists. Their ids are credentials, which lists must not give away.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    let by_handle = |table: &'static str| {
        index(table, &["organization_id", "handle"]).and_where(Expr::col("handle").is_not_null()).take()
    };
    Step::expand("m0061_session_handles")
        .change(Migration)
        .index(by_handle("play_session"))
        .index(by_handle("upload_session"))
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null in rows that the previous version writes, which are not listed. They expire within a day.
        for table in ["play_session", "upload_session"] {
            add(db, table, ColumnDef::new("handle").uuid().null().take()).await?;
        }
        Ok(())
    }
}
