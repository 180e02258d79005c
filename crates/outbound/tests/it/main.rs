//! Calls to a real server on this machine, which acts both as the receiver and as a server that must not be reached.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

mod calls;
mod fetching;
mod receiver;
mod signatures;
