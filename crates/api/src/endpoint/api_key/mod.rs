//! API keys.

pub(crate) mod create;
mod create_body;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod read;
pub(crate) mod update;
