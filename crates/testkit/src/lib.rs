//! For tests: a whole Tonearm on a free port, with a client to it.
//!
//! Failures in here panic: they concern the test's own set-up.
#![allow(clippy::unwrap_used)]

mod client;
mod collector;
mod logs;
mod old_kernel;
mod program;
mod secrets;
mod server;

pub use client::{Answer, Client};
pub use collector::{CollectedSpan, Collector};
pub use program::Program;
pub use server::{Backend, TestServer};
