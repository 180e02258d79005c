//! What was played.

pub(crate) mod listens;
pub(crate) mod read;
