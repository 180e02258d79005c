//! Variant recipes.

pub(crate) mod create;
pub(crate) mod delete;
mod described;
mod fields;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod read;
pub(crate) mod rendering;
pub(crate) mod update;
