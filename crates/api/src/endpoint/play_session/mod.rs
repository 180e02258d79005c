//! Play sessions.

pub(crate) mod create;
pub(crate) mod read;
