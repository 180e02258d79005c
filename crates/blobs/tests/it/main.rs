//! The contract of both stores, and the behaviour of only one of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]
#![allow(clippy::disallowed_methods, reason = "tests lose objects on purpose")]

mod again;
mod cache;
mod contract;
mod drafts;
mod folder;
mod outage;
mod s3;
mod test_store;
