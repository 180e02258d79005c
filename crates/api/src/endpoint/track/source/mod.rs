//! Replacing the source of a track.

pub(crate) mod cancel;
pub(crate) mod create;
pub(crate) mod read;
pub(crate) mod undo;
