//! `/metrics`, in the text format of Prometheus, on a listener of its own.
//!
//! What is counted where it happens is in `tonearm-telemetry`. Here it is collected, together with what is only looked up when
//! somebody asks: jobs, connections to the database, the disk, the process.

mod jobs;
mod listener;
mod process;
mod recorder;
mod scrape;
mod service;
mod text;

pub(crate) use listener::{bind, serve};
pub(crate) use recorder::begin;
pub(crate) use scrape::Sources;
