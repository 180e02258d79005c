//! Jobs.

pub(crate) mod read;
