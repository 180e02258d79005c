//! What an organization may have at most.

pub(crate) mod read;
