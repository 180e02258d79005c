//! Rows of `usage`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{UsageCounts, UsageEntry};

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "usage")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: i32,
    #[sea_orm(primary_key, auto_increment = false)]
    pub folder: String,
    #[sea_orm(primary_key, auto_increment = false)]
    pub variant: String,
    pub stream_redirects: i64,
    pub track_fetches: i64,
    pub downloads: i64,
    pub starts: i64,
    pub bytes: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl From<&UsageEntry> for ActiveModel {
    fn from(entry: &UsageEntry) -> Self {
        let UsageCounts { stream_redirects, track_fetches, downloads, starts, bytes } = entry.counts;
        Self {
            organization_id: Set(entry.organization_id.uuid()),
            day: Set(entry.day.number()),
            folder: Set(entry.folder.to_string()),
            variant: Set(entry.variant.as_ref().map_or_else(String::new, ToString::to_string)),
            stream_redirects: Set(count(stream_redirects)),
            track_fetches: Set(count(track_fetches)),
            downloads: Set(count(downloads)),
            starts: Set(count(starts)),
            bytes: Set(count(bytes)),
        }
    }
}

/// A batch counts at most 2^48, so that sums of rows stay far below the maximum of the column.
pub(crate) fn count(count: u64) -> i64 {
    i64::try_from(count.min(1 << 48)).unwrap_or(i64::MAX)
}
