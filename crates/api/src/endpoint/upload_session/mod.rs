//! Upload sessions.

pub(crate) mod create;
pub(crate) mod create_track;
pub(crate) mod end;
pub(crate) mod list;
pub(crate) mod read;
