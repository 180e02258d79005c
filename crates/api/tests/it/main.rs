//! The behaviour that the interface promises, tested over HTTP on both SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, reason = "what a test prepares must succeed; clippy only knows test functions")]

mod access;
mod allowed_origins;
mod bodies;
mod clients;
mod collections;
mod contract;
mod covers;
mod creators;
mod description;
mod docs;
mod ended_keys;
mod ended_uploads;
mod events;
mod find_tracks;
mod house;
mod import_buckets;
mod jobs;
mod key_changes;
mod keys;
mod manners;
mod matrix;
mod organizations;
mod play_sessions;
mod quotas;
mod rates;
mod recipes;
mod repeats;
mod replacements;
mod reply;
mod request_turns;
mod resumable;
mod schema;
mod sentences;
mod signing_keys;
mod sockets;
mod stream;
mod tags;
mod themes;
mod titles;
mod tracks;
mod tus;
mod upload_sessions;
mod uploads;
mod usage;
mod variants;
mod victims;
mod webhooks;

pub(crate) use tonearm_fixtures::on_both;

/// Pictures are decoded by another process of this program; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}
