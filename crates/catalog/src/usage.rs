//! What was counted of playback, added up.

mod adding;
mod storage;
mod sums;

pub use storage::{StorageUsage, TrackStorage};
pub use sums::{DayUsage, TrackUsage, UsageFilter, VariantUsage};
