//! Who listened to what, by a hash, for some days; and the sums by day, which are kept.

use super::columns::{big_integer, big_integer_null, boolean, integer, text, text_null, uuid, uuid_null};
use super::prelude::*;

use super::pieces::index;
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0037_listens").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&listener_track()).await?;
        db.execute(&listener_sighting()).await?;
        db.execute(&listen_sum()).await?;
        // The tables are new and empty, so their indexes are made with them.
        for index in [
            index("listener_track", &["day"]),
            index("listener_track", &["organization_id", "folder", "day"]),
            index("listener_track", &["organization_id", "playing_until"]),
            index("listener_sighting", &["day"]),
            index("listen_sum", &["organization_id", "kind", "subject", "day"]),
        ] {
            db.execute(&index).await?;
        }
        Ok(())
    }
}

/// What one listener received of one track on one day.
fn listener_track() -> TableCreateStatement {
    Table::create()
        .table("listener_track")
        .col(uuid("organization_id"))
        // Days since 1970-01-01.
        .col(integer("day"))
        .col(big_integer("listener"))
        .col(text("folder"))
        .col(big_integer("taken_micros"))
        .col(big_integer("segments"))
        .col(boolean("is_listen"))
        .col(big_integer_null("playing_until"))
        .col(uuid_null("share_key_id"))
        .col(text_null("referrer"))
        .col(boolean("is_member"))
        .primary_key(Index::create().col("organization_id").col("day").col("listener").col("folder"))
        .take()
}

/// Records that a listener was counted on a day: for the organization, for one of its collections, and so on.
fn listener_sighting() -> TableCreateStatement {
    Table::create()
        .table("listener_sighting")
        .col(uuid("organization_id"))
        .col(integer("day"))
        .col(big_integer("listener"))
        .col(text("kind"))
        .col(text("subject"))
        .primary_key(
            Index::create().col("organization_id").col("day").col("listener").col("kind").col("subject"),
        )
        .take()
}

fn listen_sum() -> TableCreateStatement {
    Table::create()
        .table("listen_sum")
        .col(uuid("organization_id"))
        .col(text("kind"))
        .col(integer("day"))
        // An id, the folder of a track or the name of a host; empty for the organization.
        .col(text("subject"))
        .col(big_integer("listens"))
        .col(big_integer("listeners"))
        .col(big_integer("heard_millis"))
        .primary_key(Index::create().col("organization_id").col("kind").col("day").col("subject"))
        .take()
}
