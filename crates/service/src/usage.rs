//! What was counted of playback, and keeping what is counted.

mod keep;
mod report;
mod stored;

use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;

pub use keep::UsageKeeper;
pub use report::{
    DayUsage, StorageUsage, TrackStorage, TrackUsage, UsageGroup, UsagePeriod, UsageReport, UsageRows,
    VariantUsage,
};

/// Adds up what was played, and tells.
#[derive(Clone)]
pub struct Usage {
    catalog: Catalog,
    ambient: Ambient,
}

impl Usage {
    /// Over the catalog that keeps the sums.
    pub fn new(catalog: Catalog, ambient: Ambient) -> Self {
        Self { catalog, ambient }
    }
}
