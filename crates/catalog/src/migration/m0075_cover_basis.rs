//! What a track's own cover was made from, so that it is made again when that changes.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0075_cover_basis").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "track", ColumnDef::new("cover_basis").text().null().take()).await
    }
}
