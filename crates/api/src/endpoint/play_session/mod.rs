//! Play sessions.

pub(crate) mod create;
mod create_body;
pub(crate) mod end;
pub(crate) mod list;
pub(crate) mod read;
