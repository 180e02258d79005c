//! How jobs of purged tracks ended, for clients that received their ids.

use super::prelude::*;

use super::pieces::add;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0068_answered_statuses").change(Migration).index(by_track())
}

fn by_track() -> IndexCreateStatement {
    Index::create().name("answered_job_by_track_id").table("answered_job").col("track_id").take()
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "answered_job", ColumnDef::new("status").text().null().take()).await
    }
}
