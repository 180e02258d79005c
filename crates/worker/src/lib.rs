//! Claims jobs, keeps their leases alive, retries them and gives them up.
//!
//! A job is held under a lease, which is renewed while the job runs. A worker that dies stops renewing, the lease
//! expires, and another worker takes over. A worker that has lost its lease stops at once and leaves the job to its new
//! owner. What a job does is a use case of the service crate; this crate decides only when and how often it runs.

mod claims;
mod config;
mod ending;
mod failure_streak;
mod lanes;
mod lease;
mod poll_schedule;
mod run;
mod sender;
mod slots;
mod upkeep;
mod worker;

pub use config::{SlotCounts, WorkerConfig};
pub use lanes::LaneLimits;
pub use sender::{Sender, SenderConfig};
pub use worker::Worker;
