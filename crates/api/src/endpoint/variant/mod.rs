//! Variant recipes.

pub(crate) mod create;
mod create_schema;
pub(crate) mod delete;
pub(crate) mod list;
pub(crate) mod order;
pub(crate) mod read;
mod recipe_body;
pub(crate) mod rendering;
pub(crate) mod update;
