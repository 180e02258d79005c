//! Upload URLs, outside of `/v1`.

pub(crate) mod cover;
pub(crate) mod intake;
pub(crate) mod source;
