//! Playing, with nothing but a play session's id.

pub(crate) mod captions;
pub(crate) mod describe;
pub(crate) mod download;
pub(crate) mod track;
