//! Many nodes over simulated time: what they ask of the database and of the store, with and without work, and while parts
//! fail.
//!
//! The nodes are the program's own code: workers, senders, upkeep, heartbeats, key lists, usage, and the play path with
//! its caches, each over a pool of real connections to one real PostgreSQL. Only three things are put in their places. Time is the
//! paused clock of the runtime, which moves in steps of ten milliseconds as soon as nothing is under way; PostgreSQL's own
//! clock follows it. Encoding is a pause. The bucket is in memory. A proxy between each node and the database counts statements and
//! can be cut.
//!
//! What repeats with the same seed is listed in docs/scaling.md.
#![allow(clippy::expect_used, reason = "what fails in here is the harness itself")]

mod counts;
mod dice;
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
