//! Playback, for which the id of a play session is the only credential.

pub(crate) mod captions;
pub(crate) mod describe;
pub(crate) mod download;
pub(crate) mod track;
