//! API keys.

pub(crate) mod create;
pub(crate) mod delete;
mod described;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod update;
