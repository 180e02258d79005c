//! What the dashboard promises, asked over HTTP on SQLite and on PostgreSQL alike.

#![allow(clippy::unwrap_used, reason = "what a test prepares must succeed; clippy only knows test functions")]

mod audit;
mod browser;
mod files;
mod forms;
mod house;
mod keys;
mod library;
mod links;
mod members;
mod settings;
mod signing_in;
mod trash;

pub(crate) use tonearm_fixtures::on_both;
