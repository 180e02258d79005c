//! API keys.

pub(crate) mod create;
