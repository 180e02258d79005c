//! What players report as played, of the listeners of the last days and in the sums.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0109_played").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // JSON. The previous version leaves it null.
        add(db, "listener_track", ColumnDef::new("played").text().null().take()).await?;
        for name in ["reported_millis", "played_millis"] {
            add(db, "listen_sum", ColumnDef::new(name).big_integer().not_null().default(0).take()).await?;
        }
        Ok(())
    }
}
