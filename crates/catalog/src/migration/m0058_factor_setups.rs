//! The sign-in that sets up a second factor, and the wrong codes since the last right one.

use super::columns::{big_integer, integer};
use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0058_factor_setups").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Not a foreign key: the previous version turns on a factor without clearing the column.
        add(db, "second_factor", ColumnDef::new("sign_in_id").uuid().null().take()).await?;
        for column in ["wrong_elsewhere", "wrong_where_known"] {
            add(db, "second_factor", integer(column).default(0).take()).await?;
        }
        for column in ["wrong_elsewhere_at", "wrong_where_known_at"] {
            add(db, "second_factor", big_integer(column).default(0).take()).await?;
        }
        Ok(())
    }
}
