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
        let sums = [
            ("listener_track", "delivered_millis"),
            ("listen_sum", "reported_millis"),
            ("listen_sum", "played_millis"),
        ];
        for (table, name) in sums {
            add(db, table, ColumnDef::new(name).big_integer().not_null().default(0).take()).await?;
        }
        Ok(())
    }
}
