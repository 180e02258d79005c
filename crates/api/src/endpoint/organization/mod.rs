//! Organizations.

pub(crate) mod read;
pub(crate) mod remove_cover;
pub(crate) mod update;
