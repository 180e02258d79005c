//! Backups of a running service, and restores: to the same kind of database and store, to the other kind, and after the
//! command was killed.

mod interrupted;
mod refusals;
mod round_trips;
mod verifying;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_fixtures::{Postgres, PostgresDatabase, S3Server};
use tonearm_testkit::{Backend, Client, Program};

use crate::command_output::{create_organization, last_json_of, succeed};
use crate::{binary, text};

const SECRET: &str = "the master secret of a service and of its backup";

/// A service on either pair of backends, run as a process.
pub(crate) struct Service {
    pub(crate) program: Program,
    pub(crate) data: TempDir,
    _database: Option<PostgresDatabase>,
    _s3: Option<S3Server>,
}

impl Service {
    /// Creates a service and does not start it.
    pub(crate) async fn new(backend: Backend) -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::new(binary(), data.path());
        program.set("TONEARM_SECRET", SECRET);
        let (mut database, mut s3) = (None, None);
        if backend == Backend::Distributed {
            let made = Postgres::database().await;
            program.set("TONEARM_DATABASE_URL", &made.url);
            let store = S3Server::start();
            program.set("TONEARM_STORAGE_URL", &store.url());
            (database, s3) = (Some(made), Some(store));
        }
        Self { program, data, _database: database, _s3: s3 }
    }

    /// Starts a service with an organization. Returns a client for it.
    pub(crate) async fn running(backend: Backend) -> (Self, Client) {
        let mut service = Self::new(backend).await;
        succeed(&service.program.run(&["migrate"]));
        let made = create_organization(&service.program, "Backed up");
        service.program.start().await;
        let client = Client::new(&service.program.url(), text(&made, "/api_key"));
        (service, client)
    }

    /// Whether a job is due or running.
    pub(crate) fn has_work(&self) -> bool {
        let status = last_json_of(&self.program.run(&["status", "--json"]));
        let mut queues = status["queues"].as_array().unwrap().iter();
        queues.any(|queue| queue["due"] != 0 || queue["running"] != 0)
    }

    /// The folder of the store.
    pub(crate) fn objects(&self) -> PathBuf {
        self.data.path().join("objects")
    }

    pub(crate) fn back_up(&self, target: &str) -> Value {
        last_json_of(&self.program.run(&["backup", target, "--json"]))
    }

    pub(crate) fn restore(&self, from: &str) -> Value {
        last_json_of(&self.program.run(&["restore", from, "--json"]))
    }
}

/// Sound that differs for each number.
pub(crate) fn sound(number: u32) -> Vec<u8> {
    let signal = Signal::Sine { hz: 200.0 + f64::from(number) * 10.0, amplitude: 0.5 };
    wav(&WavSpec { seconds: 2.0, signal, ..WavSpec::default() })
}

/// Uploads some tracks and waits until they are ready.
pub(crate) async fn fill(client: &Client, count: u32) -> Vec<String> {
    let collection = client.collection("Songs").await;
    let mut ids = Vec::new();
    for number in 0..count {
        ids.push(client.upload(&collection, &format!("song {number}.wav"), sound(number)).await);
    }
    for id in &ids {
        let track = client.settled(id).await;
        assert_eq!(track["track_status_id"], "ready", "{track}");
    }
    ids
}

/// The SHA-256 of each file that listeners of these tracks receive, by file name.
pub(crate) async fn heard(client: &Client, tracks: &[String]) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for id in tracks {
        let session = json!({"track_id": id, "variants": ["original", "hq", "lq", "preview", "levels"]});
        let session = client.post("/v1/play_session/track", &session).await.ok();
        let variants = session["first_track"]["variants"].as_array().unwrap();
        assert!(variants.len() >= 4, "{session}");
        for variant in variants {
            let answer = client.get(text(variant, "/url")).await;
            assert_eq!(answer.status, 200, "{variant}");
            files.insert(text(variant, "/path").to_owned(), hex::encode(Sha256::digest(&answer.bytes)));
        }
    }
    files
}

/// All files below a folder that are not temporary.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let is_visible = |entry: &walkdir::DirEntry| entry.file_name() != ".tmp";
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(is_visible);
    let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    files.map(walkdir::DirEntry::into_path).collect()
}
