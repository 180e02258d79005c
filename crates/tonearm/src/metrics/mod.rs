//! `/metrics`, in the text format of Prometheus, on a listener of its own.
//!
//! `tonearm-telemetry` counts events where they happen. This module exports those counts, together with values that are
//! only read when metrics are requested: jobs, connections to the database, the disk, the process.

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
