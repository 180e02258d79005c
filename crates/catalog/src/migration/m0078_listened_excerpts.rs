//! What listeners received of previews and other short excerpts, in the rows of the last days.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0078_listened_excerpts").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // JSON. The previous version leaves it null.
        add(db, "listener_track", ColumnDef::new("excerpts").text().null().take()).await
    }
}
