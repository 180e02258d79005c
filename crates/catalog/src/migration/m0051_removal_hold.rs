//! Running backups, for which objects are kept in the store.

use super::columns::{big_integer, uuid};
use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0051_removal_hold").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let hold = Table::create()
            .table("removal_hold")
            .col(uuid("id").primary_key())
            .col(big_integer("held_until"))
            .take();
        db.execute(&hold).await.map(drop)
    }
}
