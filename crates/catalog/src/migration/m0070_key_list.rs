//! The number of the last list of signing keys in the object store, so that lists are not ordered by the clocks of nodes.

use super::columns::{big_integer, integer};
use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0070_key_list").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let list = Table::create()
            .table("key_list")
            .col(integer("id").primary_key())
            .col(big_integer("number"))
            .take();
        db.execute(&list).await.map(drop)
    }
}
