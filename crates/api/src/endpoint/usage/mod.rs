//! What was played.

pub(crate) mod read;
