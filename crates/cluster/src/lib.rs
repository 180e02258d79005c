//! Tonearm on several nodes whose parts fail: processes that are killed and paused, clocks that are wrong, a database and
//! a bucket that refuse, hang, slow down, cut connections and stay away. Also one node whose disk fills up.
//!
//! A client uploads short sounds all the while and tries again as a client would. In the end every acknowledged upload
//! has to be ready and whole, nothing may be stuck, and what was played has to be counted to the byte. A run reports
//! everything that is not so; only what keeps the harness itself from working is an error.
#![allow(clippy::unwrap_used, reason = "what fails in here is the harness itself")]

mod client;
mod clock;
mod cluster;
mod dice;
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
