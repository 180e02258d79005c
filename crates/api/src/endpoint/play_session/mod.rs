//! Play sessions.

pub(crate) mod create;
mod described;
pub(crate) mod read;
