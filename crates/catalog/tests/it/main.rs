//! The behaviour that the catalog promises, tested on both SQLite and PostgreSQL.

#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

mod aggregates;
mod album_order;
mod bulk;
mod changes;
mod clocks;
mod concurrency;
mod database;
mod deaths;
mod deletion;
mod dumps;
mod events;
mod failures;
mod full_disk;
mod imports;
mod inspecting;
mod jobs;
mod large;
mod leases;
mod listens;
mod listing;
mod lost_commits;
mod manifests;
mod moving;
mod nodes;
mod notices;
mod opening;
mod page_bytes;
mod plans;
mod privacy;
mod progress;
mod quotas;
mod recipes;
mod records;
mod repetitions;
mod retention;
mod rights;
mod round_trips;
mod samples;
mod scheduled_tasks;
mod shared_tracks;
mod signing_keys;
mod tallies;
mod traces;
mod track_lookup;
mod tracks;
mod trash;
mod turns;
mod upgrades;
mod usage;
mod values;
mod waits;

pub(crate) use tonearm_fixtures::on_both;
