//! Keys that an organization's own backend signs delivery URLs with.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod read;
