//! The running nodes, and when each was last seen.

use super::columns::{big_integer, big_integer_null, text, uuid};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0050_node").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let node = Table::create()
            .table("node")
            .col(uuid("id").primary_key())
            .col(text("name"))
            .col(text("address"))
            .col(text("version"))
            .col(text("roles"))
            .col(big_integer("started_at"))
            .col(big_integer("seen_at"))
            .col(big_integer_null("clock_ahead_millis"))
            .take();
        db.execute(&node).await?;
        // The table is new and empty, so its index is made with it.
        db.execute(&index("node", &["seen_at"])).await.map(drop)
    }
}
