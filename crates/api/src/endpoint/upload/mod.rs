//! Upload URLs, outside `/v1`.

mod accepted;
pub(crate) mod collection_cover;
pub(crate) mod cover;
pub(crate) mod intake;
pub(crate) mod picture;
pub(crate) mod resumable;
pub(crate) mod source;
pub(crate) mod tus;
