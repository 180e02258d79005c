//! What is counted of playback: how often and how much, by organization, day, folder and variant.

mod batch;
mod counts;
mod day;
mod meter;

pub use batch::{UsageBatch, UsageEntry};
pub use counts::UsageCounts;
pub use day::{Day, DayError};
pub use meter::Meter;
