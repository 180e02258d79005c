//! Collections.

pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod read;
pub(crate) mod remove_cover;
pub(crate) mod renew_cover_upload;
pub(crate) mod update;
