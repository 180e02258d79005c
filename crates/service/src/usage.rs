//! What was counted of playback, and keeping what is counted.

mod keep;
mod listens;
mod report;
mod reports;
mod stored;
mod unstored;

use tonearm_catalog::{Catalog, UsageFilter};
use tonearm_domain::{Ambient, LimitOffset, ListenKind};

pub use keep::UsageKeeper;
pub use listens::{DayListens, DropOff, ListenGroup, ListenReport, ListenRows, SubjectListens};
pub use report::{
    DayUsage, StorageUsage, TrackStorage, TrackUsage, UsageGroup, UsagePeriod, UsageReport, UsageRows,
    UsageTracks, VariantUsage,
};
use reports::Reports;

/// Adds up what was played, and tells.
#[derive(Clone)]
pub struct Usage {
    catalog: Catalog,
    ambient: Ambient,
    by_track: Reports<(UsageFilter, LimitOffset), (UsageTracks, Vec<TrackUsage>)>,
    listens: Reports<(UsageFilter, ListenKind, LimitOffset), (u64, Vec<SubjectListens>)>,
}

impl Usage {
    /// Over the catalog that keeps the sums.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient, by_track: Reports::new(), listens: Reports::new() }
    }
}
