//! The contract that both stores keep, and what only one of them does.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

mod again;
mod cache;
mod contract;
mod drafts;
mod folder;
mod outage;
mod s3;
mod test_store;
