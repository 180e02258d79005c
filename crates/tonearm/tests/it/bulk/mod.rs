//! `tonearm upload` and `tonearm import-feed`: the program as a child process, against a running service.

mod feeds;
mod hostile_feeds;
mod interrupted;
mod proxy;
mod refused;
mod uploads;
mod watched;

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_testkit::{Client, TestServer};

use crate::binary;

/// The command line of a user: a key, a service, and a folder for state that outlives a run.
struct CommandLine {
    server: String,
    key: String,
    state: TempDir,
}

/// What a run printed.
struct Run {
    code: Option<i32>,
    lines: Vec<Value>,
    errors: String,
}

impl CommandLine {
    fn of(server: &TestServer) -> Self {
        Self::to(server.node.public_url(), server.client.key())
    }

    fn to(server: &str, key: &str) -> Self {
        Self { server: server.to_owned(), key: key.to_owned(), state: tempfile::tempdir().unwrap() }
    }

    fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(binary());
        command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("TONEARM_API_KEY", &self.key).env("TONEARM_SERVER", &self.server);
        command.env("XDG_STATE_HOME", self.state.path());
        command.args(arguments).stdin(Stdio::null());
        command
    }

    /// Runs a command with `--json` to its end.
    fn run(&self, arguments: &[&str]) -> Run {
        let output = self.command(arguments).arg("--json").output().unwrap();
        for printed in [&output.stdout, &output.stderr] {
            let told = String::from_utf8_lossy(printed).contains(&self.key);
            assert!(!told, "the key is printed by {arguments:?}");
        }
        Run::of(output)
    }

    /// Starts a command with `--json`.
    fn spawn(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.arg("--json").stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn upload(&self, collection: &str, path: &Path) -> Run {
        self.run(&["upload", path.to_str().unwrap(), "--collection", collection])
    }
}

impl Run {
    fn of(output: Output) -> Self {
        let printed = String::from_utf8(output.stdout).unwrap();
        let lines = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        Self { code: output.status.code(), lines, errors }
    }

    /// The number of items with a result.
    #[track_caller]
    fn count(&self, result: &str) -> u64 {
        let summary = &self.lines.last().unwrap_or_else(|| panic!("no summary: {}", self.errors))["summary"];
        summary[result].as_u64().unwrap_or_else(|| panic!("no {result} in {summary}"))
    }

    /// A field of each item with a result.
    fn items(&self, result: &str, field: &str) -> Vec<String> {
        let items = self.lines.iter().filter(|line| line["result"] == result);
        items.map(|line| line[field].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// The reasons of the failed items.
    fn reasons(&self) -> Vec<String> {
        self.items("failed", "reason")
    }

    /// The last line on standard error, which says why the run failed.
    fn failure(&self) -> &str {
        self.errors.lines().last().unwrap_or_default()
    }
}

/// Sound that differs for each seed.
fn sound(seed: u64, seconds: f64) -> Vec<u8> {
    wav(&WavSpec { seconds, signal: Signal::Noise { seed, amplitude: 0.3 }, ..WavSpec::default() })
}

/// The tracks of a collection, in their order.
async fn tracks(client: &Client, collection: &str) -> Vec<Value> {
    let list = client.get(&format!("/v1/track?collection_id={collection}&sort=order&limit=200")).await.ok();
    list["tracks"].as_array().unwrap().clone()
}

/// A field of each track.
fn all(tracks: &[Value], field: &str) -> Vec<String> {
    tracks.iter().map(|track| track[field].as_str().unwrap_or_default().to_owned()).collect()
}

/// Asks a child to stop, as Ctrl-C does.
fn interrupt(child: &Child) {
    let asked = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(asked.success());
}
