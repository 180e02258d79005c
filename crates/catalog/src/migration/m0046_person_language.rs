//! The language in which a person reads pages.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0046_person_language").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "person", ColumnDef::new("language").text().null().take()).await
    }
}
