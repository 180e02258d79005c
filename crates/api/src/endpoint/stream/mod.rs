//! Inline share links.

pub(crate) mod redirect;
