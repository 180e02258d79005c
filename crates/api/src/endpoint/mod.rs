//! The endpoints: a folder for each resource, and a file for each of its operations.

pub(crate) mod api_key;
pub(crate) mod collection;
pub(crate) mod creator;
pub(crate) mod import_bucket;
pub(crate) mod job;
pub(crate) mod organization;
pub(crate) mod play;
pub(crate) mod play_session;
pub(crate) mod quota;
pub(crate) mod signing_key;
pub(crate) mod stream;
pub(crate) mod track;
pub(crate) mod upload;
pub(crate) mod upload_session;
pub(crate) mod usage;
pub(crate) mod variant;
pub(crate) mod webhook;
