//! Tests Tonearm on several nodes whose parts fail: processes that are killed and paused, clocks that are wrong, a
//! database and a bucket that refuse or cut connections, hang, slow down or are unavailable for a long time. It also
//! tests one node whose disk fills up.
//!
//! A client uploads short sounds throughout the run and retries as real clients do. At the end, every acknowledged
//! upload must be ready and complete, no job may be stuck, and all plays must be counted to the byte. A run reports
//! every violation; only failures of the harness itself are returned as errors.
#![allow(clippy::unwrap_used, reason = "what fails in here is the harness itself")]

mod client;
mod clock;
mod cluster;
mod disk;
mod faults;
mod ledger;
mod load;
mod moto;
mod nodes;
mod proxy;
mod report;
mod verdict;

pub use cluster::{Bucket, ClusterSettings, run_cluster};
pub use disk::{DiskSettings, on_small_disk, run_on_disk};
pub use report::Report;
