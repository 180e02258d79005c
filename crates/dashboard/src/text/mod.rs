//! The texts of pages, in the reader's language.
//!
//! Texts are messages of [Fluent](https://projectfluent.org), in `locales/<language>/<page>.ftl`. Code and templates
//! refer to them by id: `t("error-no-track")`. The language is that of the request ([`language`]), so that it need not
//! be passed to every function that builds a page.

mod language;
mod messages;
mod number;
mod script;
mod service;
#[cfg(test)]
mod tests;

#[allow(unused_imports, reason = "bodies that are sent later need it")]
pub(crate) use language::{current, in_language, negotiate, of_person};
pub(crate) use messages::{Message, t};
pub(crate) use number::count;
pub(crate) use script::{player_table, public_table, table};
pub(crate) use service::{reason, translate, translated};

use std::borrow::Borrow;

use tonearm_domain::Role;

/// The name of a role.
pub(crate) fn role(role: impl Borrow<Role>) -> Message {
    t(match role.borrow() {
        Role::Owner => "role-owner",
        Role::Editor => "role-editor",
        Role::Viewer => "role-viewer",
    })
}

/// A role with its article: `an owner`.
pub(crate) fn role_with_article(role: Role) -> Message {
    t(match role {
        Role::Owner => "role-as-owner",
        Role::Editor => "role-as-editor",
        Role::Viewer => "role-as-viewer",
    })
}
