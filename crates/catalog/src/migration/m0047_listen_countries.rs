//! The country of each listener of the last days. Its sums are rows of `listen_sum`, like those of sites.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0047_listen_countries").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Two letters. The previous version leaves it null.
        add(db, "listener_track", ColumnDef::new("country").text().null().take()).await
    }
}
