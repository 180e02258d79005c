//! The behaviour that the dashboard promises, tested over HTTP on both SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, reason = "what a test prepares must succeed; clippy only knows test functions")]

mod audit;
mod browser;
mod edited;
mod ended_rights;
mod file_tags;
mod files;
mod forms;
mod house;
mod keys;
mod languages;
mod library;
mod library_languages;
mod links;
mod many_keys;
mod members;
mod oidc;
mod oidc_hostile;
mod people;
mod player;
mod provider;
mod quotas;
mod second_factor;
mod selection;
mod settings;
mod share;
mod signed_out;
mod signing_in;
mod start;
mod status;
mod transcript;
mod trash;
mod usage;

pub(crate) use tonearm_fixtures::on_both;

/// Pictures are decoded by another process of this program; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}
