//! The rendering of a recipe for existing tracks.

pub(crate) mod create;
pub(crate) mod read;
