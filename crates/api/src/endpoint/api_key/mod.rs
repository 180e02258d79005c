//! API keys.

pub(crate) mod create;
mod described;
