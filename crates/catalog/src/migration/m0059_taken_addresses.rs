//! How often an invitation was tried with the address of an existing account.

use super::columns::integer;
use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0059_taken_addresses").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "invitation", integer("taken_addresses").default(0).take()).await
    }
}
