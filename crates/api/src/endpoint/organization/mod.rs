//! Organizations.

pub(crate) mod read;
pub(crate) mod update;
