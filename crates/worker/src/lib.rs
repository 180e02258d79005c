//! Claims jobs, keeps their leases alive, retries and gives up.
//!
//! A job is held under a lease. While it runs its lease is renewed; a worker that dies stops renewing, the lease
//! runs out, and another takes over. A worker that finds its lease gone stops at once and leaves the job to its
//! new owner. What a job does is a use case of the service crate; here is only when, and how often.

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
