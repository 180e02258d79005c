//! The master secrets that a node knows, so that a rotation does not continue before all nodes know the new one.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0055_node_secrets").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "node", ColumnDef::new("master_secrets").text().null().take()).await
    }
}
