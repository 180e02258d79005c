//! Many nodes over simulated time: the load they put on the database and on the store, with and without work, and while
//! parts fail.
//!
//! The nodes run the program's own code: workers, senders, upkeep, heartbeats, key lists, usage, and the play path with
//! its caches. Each has a pool of real connections to one real PostgreSQL server. Only three things are simulated. Time
//! is the paused clock of the runtime: it advances in steps of ten milliseconds as soon as no work is in progress, and
//! PostgreSQL's own clock follows it. Encoding is a pause. The bucket is in memory. A proxy between each node and the
//! database counts statements and can cut the connections.
//!
//! docs/scaling.md lists what is the same in every run with the same seed.
#![allow(clippy::expect_used, reason = "what fails in here is the harness itself")]

mod counts;
mod encoding;
mod faults;
mod library;
mod load;
mod network;
mod node;
mod purpose;
mod report;
mod result;
mod run;
mod server;
mod settings;
mod store;
mod time;
mod verdict;
mod wire;
mod world;

pub use purpose::Purpose;
pub use report::{statements, tables};
pub use result::Outcome;
pub use server::Server;
pub use settings::Settings;
pub use verdict::{Finding, judge};
