//! The behaviour that the use cases promise, tested on both SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]
#![allow(clippy::disallowed_methods, reason = "tests lose objects on purpose")]

mod backups;
mod bulk;
mod cost;
mod covers;
mod freshness;
mod history;
mod import_buckets;
mod imports;
mod interleavings;
mod jobs;
mod key_rotation;
mod late_files;
mod manifests;
mod moving_out;
mod previews;
mod privacy;
mod quotas;
mod races;
mod removal_holds;
mod repeats;
mod replacements;
mod resealing;
mod retention;
mod rights;
mod same_source;
mod selection;
mod shared_words;
mod sign_ins;
mod signing_keys;
mod station;
mod store_identity;
mod store_scene;
mod sweep;
mod transcribing;
mod upload_leases;
mod usage;
mod verdicts;
mod verification;
mod workshop;

pub(crate) use tonearm_fixtures::on_both;

/// Pictures are decoded by another process of this program; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}
