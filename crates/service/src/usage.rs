//! Usage statistics of playback: storing the counts and reporting them.

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

/// Reports usage and listening statistics.
#[derive(Clone)]
pub struct Usage {
    catalog: Catalog,
    ambient: Ambient,
    by_track: Reports<(UsageFilter, LimitOffset), (UsageTracks, Vec<TrackUsage>)>,
    listens: Reports<(UsageFilter, ListenKind, LimitOffset), (u64, Vec<SubjectListens>)>,
}

impl Usage {
    /// Creates the reports over the catalog that stores the totals.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient, by_track: Reports::new(), listens: Reports::new() }
    }
}
