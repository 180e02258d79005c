//! Buckets that files are imported from, with the credentials for them.

pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod set;
