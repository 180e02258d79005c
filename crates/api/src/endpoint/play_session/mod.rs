//! Play sessions.

pub(crate) mod create;
mod create_body;
pub(crate) mod read;
