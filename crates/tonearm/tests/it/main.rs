//! End-to-end tests with real servers, real audio and real processes.
#![allow(clippy::unwrap_used)]

mod acme;
mod audit;
mod backups;
mod browser;
mod bulk;
mod cdn;
mod chaos;
mod cluster;
mod command_line;
mod command_output;
mod commands;
mod concurrency;
mod confinement;
mod covers;
mod damaged;
mod deploy;
mod direct;
mod doctor;
mod documents;
mod durable;
mod edge;
mod endurance;
mod fairness;
mod forwarded;
mod frames;
mod full_disk;
mod heard;
mod http2;
mod import_buckets;
mod imports;
mod inputs;
mod interim;
mod lifecycle;
mod limits;
mod listens;
mod logs;
mod mcp;
mod metrics;
mod pebble;
mod privacy;
mod receiver;
mod recipes;
mod resuming;
mod rude;
mod sdk;
mod second_chances;
mod secrets;
mod service_manager;
mod share;
mod starts;
mod status;
mod store;
mod stories;
mod tls;
mod tour;
mod traces;
mod transcription;
mod tus_clients;
mod unread;
mod upgrading;
mod usage;
mod way;
mod webhooks;

/// The program under test.
fn binary() -> &'static std::path::Path {
    std::path::Path::new(env!("CARGO_BIN_EXE_tonearm"))
}

/// The text at a JSON pointer.
#[track_caller]
fn text<'a>(value: &'a serde_json::Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(serde_json::Value::as_str)
        .unwrap_or_else(|| panic!("no text at {pointer} in {value}"))
}

/// Waits until a condition holds. Fails with `what` if it does not within [`EVENTUALLY`](tonearm_fixtures::EVENTUALLY).
async fn eventually(what: &str, mut is_true: impl AsyncFnMut() -> bool) {
    let begun = std::time::Instant::now();
    while !is_true().await {
        assert!(begun.elapsed() < tonearm_fixtures::EVENTUALLY, "not in time: {what}");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

/// Waits until no job of a kind is left. If none ends for half a minute, fails and lists the jobs that are left.
async fn until_done(server: &tonearm_testkit::TestServer, kind: &str) {
    let catalog = &server.node.services().unwrap().catalog;
    let (mut left, mut looks) = (usize::MAX, 0);
    loop {
        let jobs = catalog.pending_jobs().await.unwrap();
        let jobs: Vec<_> = jobs.into_iter().filter(|job| job.kind == kind).collect();
        if jobs.is_empty() {
            return;
        }
        looks = if jobs.len() < left { 0 } else { looks + 1 };
        left = jobs.len();
        assert!(looks < 600, "for half a minute none of these ended: {jobs:#?}");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
}

/// Two tests of one case: over SQLite with a folder, and over PostgreSQL with S3.
macro_rules! on_both_backends {
    ($($case:ident),* $(,)?) => {
        mod embedded {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                super::$case(tonearm_testkit::TestServer::start(tonearm_testkit::Backend::Embedded).await).await;
            })*
        }
        mod distributed {
            $(#[tokio::test(flavor = "multi_thread")]
            async fn $case() {
                super::$case(tonearm_testkit::TestServer::start(tonearm_testkit::Backend::Distributed).await).await;
            })*
        }
    };
}
pub(crate) use on_both_backends;

/// This program is started again to read pictures; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}
