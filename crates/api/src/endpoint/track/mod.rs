//! Tracks.

pub(crate) mod add_variant;
pub(crate) mod create;
pub(crate) mod delete;
pub(crate) mod find;
pub(crate) mod list;
pub(crate) mod progress;
mod progress_events;
mod progress_record;
pub(crate) mod read;
pub(crate) mod remove_cover;
pub(crate) mod renew_cover_upload;
pub(crate) mod retry;
pub(crate) mod source;
pub(crate) mod update;
