//! The sound of files that are no longer in use, whose URLs are still valid.

use super::columns::{big_integer, double, json_binary_null, string};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    // What the previous version replaces meanwhile counts as the whole track.
    Step::expand("m0091_former_files").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let former = Table::create()
            .table("former_file")
            .col(string("object_key").primary_key())
            .col(double("track_duration"))
            .col(json_binary_null("data"))
            .col(big_integer("replaced_at"))
            .take();
        db.execute(&former).await?;
        // The table is new and empty, so its index is made with it.
        db.execute(&index("former_file", &["replaced_at"])).await?;
        Ok(())
    }
}
