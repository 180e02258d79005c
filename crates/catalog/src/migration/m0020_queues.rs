//! The queue of each job, and the organization whose turn it takes.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    let waits = || Expr::col("lease_id").is_null().and(Expr::col("failed_at").is_null());
    let is_unsorted = Expr::col("queue").is_null();
    let held = Expr::col("lease_id").is_not_null().and(Expr::col("failed_at").is_null());
    Step::expand("m0020_queues")
        .change(Migration)
        .index(index("job", &["queue", "organization_id", "run_at", "id"]).and_where(waits()).take())
        .index(index("job", &["queue", "run_at"]).and_where(waits()).take())
        .index(index("job", &["id"]).and_where(waits()).and_where(is_unsorted).take())
        .index(index("job", &["leased_until"]).and_where(held).take())
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null for jobs that an earlier version queues, even while this version runs. Workers fill it in.
        add(db, "job", ColumnDef::new("queue").text().null().take()).await?;
        add(db, "job", ColumnDef::new("organization_id").uuid().null().take()).await
    }
}
