//! Keys with which an organization's own backend signs delivery URLs.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod read;
