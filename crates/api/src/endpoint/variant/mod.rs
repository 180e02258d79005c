//! Variant recipes.

pub(crate) mod list;
pub(crate) mod read;
