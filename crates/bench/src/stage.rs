//! The service under measurement: the real program with its own data folder.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Client, Program};

use crate::wrk::Request;

/// How often a track's status is polled at first. Later, it is polled after each hundredth of the time that has passed:
/// a hundred requests per second would take a tenth of a core from the program under measurement.
const POLL: Duration = Duration::from_millis(10);

/// How long processing may take before the run fails.
const PATIENCE: Duration = Duration::from_secs(900);

/// Tracks that are created concurrently.
const CREATORS: usize = 16;

/// The path of the program: `TONEARM_BIN`, or a file beside this program.
pub(crate) fn binary() -> Result<PathBuf> {
    let path = match std::env::var_os("TONEARM_BIN") {
        Some(path) => PathBuf::from(path),
        None => std::env::current_exe()?.with_file_name("tonearm"),
    };
    ensure!(path.is_file(), "{} is not there; `make bench` builds it", path.display());
    Ok(path)
}

/// A running service with an organization and a collection. All of it is removed when dropped.
pub(crate) struct Stage {
    program: Program,
    tenant: Tenant,
    // Declared after the program, so that the program is killed first.
    folder: TempDir,
}

/// An organization with a collection.
pub(crate) struct Tenant {
    pub(crate) client: Client,
    organization_id: String,
    pub(crate) collection_id: String,
}

impl std::ops::Deref for Stage {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.tenant
    }
}

impl Stage {
    pub(crate) async fn open() -> Result<Self> {
        Self::open_over(None, async |_, _| Ok(())).await
    }

    /// Opens the service with this database, or with a database file in its own folder. `fill` is called before the
    /// service starts, with the folder and the organization's id.
    pub(crate) async fn open_over(
        database: Option<&str>,
        fill: impl AsyncFnOnce(&Path, &str) -> Result<()>,
    ) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut program = Program::new(&binary()?, &folder.path().join("data"));
        program.set("TONEARM_LOG_FILTER", "warn");
        if let Some(url) = database {
            program.set("TONEARM_DATABASE_URL", url);
            program.set("TONEARM_SECRET", "the master secret of the service that is measured");
            run(&program, &["migrate"])?;
        }
        let made = printed(&program, &["org", "create", "--name", "Bench", "--json"])?;
        // The first start ties the database to the store. This is not done once the database refers to objects.
        program.start().await;
        program.terminate();
        fill(folder.path(), text(&made, "/organization_id")?).await?;
        program.start().await;
        let tenant = Tenant::of(&program, &made).await?;
        Ok(Self { program, tenant, folder })
    }

    /// Stops the service.
    pub(crate) fn stop(&mut self) {
        self.program.kill();
    }

    /// Restarts the service with another setting.
    pub(crate) async fn restart_with(&mut self, variable: &'static str, value: &str) {
        self.program.terminate();
        self.program.set(variable, value);
        self.program.start().await;
    }

    /// Restarts the service with TLS, and returns its URL. The stage's client can no longer be used.
    pub(crate) async fn restart_with_tls(&mut self, chain: &Path, key: &Path) -> Result<String> {
        self.program.terminate();
        for (name, file) in [("TONEARM_TLS_CERT", chain), ("TONEARM_TLS_KEY", key)] {
            self.program.set(name, file.to_str().context("a path is UTF-8")?);
        }
        self.program.start().await;
        Ok(self.url().replacen("http://", "https://", 1))
    }

    /// Creates another organization.
    pub(crate) async fn tenant(&self, name: &str) -> Result<Tenant> {
        let made = printed(&self.program, &["org", "create", "--name", name, "--json"])?;
        Tenant::of(&self.program, &made).await
    }

    pub(crate) fn url(&self) -> String {
        self.program.url()
    }

    /// A folder for the files of a measurement.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Removes uploaded sources, for services without workers.
    pub(crate) fn remove_sources(&self) -> Result<()> {
        let mut folders = vec![self.folder.path().join("data")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder)? {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.push(entry.path());
                } else if entry.file_name().to_string_lossy().starts_with("source.") {
                    std::fs::remove_file(entry.path())?;
                }
            }
        }
        Ok(())
    }

    pub(crate) fn processes(&self) -> Vec<u32> {
        self.program.pid().into_iter().collect()
    }

    /// Creates a key that opens one variant of every track.
    pub(crate) fn share_key(&self, variant: &str) -> Result<String> {
        let arguments = ["key", "create", "--type", "share", "--json", "--org", &self.organization_id];
        let made = printed(&self.program, &[&arguments[..], &["--variant", variant]].concat())?;
        Ok(text(&made, "/api_key")?.to_owned())
    }

    /// Runs a command and returns its output.
    pub(crate) fn command(&self, arguments: &[&str]) -> Result<String> {
        Ok(String::from_utf8(run(&self.program, arguments)?)?)
    }
}

impl Tenant {
    async fn of(program: &Program, made: &Value) -> Result<Self> {
        let client = Client::new(&program.url(), text(made, "/api_key")?);
        let collection_id = client.collection("Bench").await;
        let organization_id = text(made, "/organization_id")?.to_owned();
        Ok(Self { client, organization_id, collection_id })
    }

    pub(crate) fn organization_id(&self) -> &str {
        &self.organization_id
    }

    /// Adds the organization's API key to a request.
    pub(crate) fn authorized(&self, request: Request) -> Request {
        request.with("Authorization", format!("Bearer {}", self.client.key()))
    }

    /// Creates a track. Returns its id and the URL for uploading its sound.
    pub(crate) async fn create_track(&self, file_name: &str) -> Result<(String, String)> {
        let created = self.client.track(&self.collection_id, file_name).await;
        Ok((text(&created, "/track_id")?.to_owned(), text(&created, "/track_upload/upload_url")?.to_owned()))
    }

    /// Creates tracks that have no sound.
    pub(crate) async fn create_tracks(&self, count: usize) -> Result<()> {
        futures::stream::iter(0..count)
            .map(|number| async move { self.create_track(&format!("{number}.wav")).await })
            .buffer_unordered(CREATORS)
            .try_for_each(async |_| Ok(()))
            .await
    }

    /// Uploads a sound and returns its track's id once the track is ready.
    pub(crate) async fn upload(&self, file_name: &str, sound: &[u8]) -> Result<String> {
        let (track_id, url) = self.create_track(file_name).await?;
        let reply = crate::http::put(&url, sound, sound.len() as u64)?;
        ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
        self.wait_until_ready(&track_id).await?;
        Ok(track_id)
    }

    /// Uploads short sounds and returns the ids of their tracks once all of them are ready.
    pub(crate) async fn fill(&self, count: usize) -> Result<Vec<String>> {
        let sound = wav(&WavSpec { seconds: 0.2, ..WavSpec::default() });
        let mut tracks = Vec::new();
        for number in 0..count {
            tracks.push(self.upload(&format!("{number}.wav"), &sound).await?);
        }
        Ok(tracks)
    }

    pub(crate) async fn wait_until_ready(&self, track_id: &str) -> Result<()> {
        let begun = Instant::now();
        loop {
            let answer = self.client.get(&format!("/v1/track/{track_id}")).await.ok();
            match text(&answer, "/track/track_status_id")? {
                "ready" => return Ok(()),
                "initialized" | "processing" | "fallback_processing" => {}
                other => bail!("the track became {other}: {answer}"),
            }
            ensure!(begun.elapsed() < PATIENCE, "the track is not ready after {PATIENCE:?}");
            tokio::time::sleep(POLL.max(begun.elapsed() / 100)).await;
        }
    }

    pub(crate) async fn is_ready(&self, track_id: &str) -> Result<bool> {
        let answer = self.client.get(&format!("/v1/track/{track_id}")).await.ok();
        Ok(text(&answer, "/track/track_status_id")? == "ready")
    }

    /// The signed URL of a track's original file.
    pub(crate) async fn original(&self, track_id: &str) -> Result<String> {
        let session = json!({"track_id": track_id, "variants": ["original"]});
        let session = self.client.post("/v1/play_session/track", &session).await.ok();
        Ok(text(&session, "/first_track/variants/0/url")?.to_owned())
    }
}

/// A WAV sound with a different last sample for each number, because files with the same bytes as another file of the
/// organization are not processed again.
pub(crate) fn distinct(sound: &[u8], number: usize) -> Vec<u8> {
    let mut own = sound.to_vec();
    let mark = u16::try_from(number % 1000).unwrap_or_default();
    if let Some(last) = own.last_chunk_mut::<2>() {
        *last = mark.to_le_bytes();
    }
    own
}

/// The output of a command, parsed as JSON.
fn printed(program: &Program, arguments: &[&str]) -> Result<Value> {
    Ok(serde_json::from_slice(&run(program, arguments)?)?)
}

/// The output of a command.
fn run(program: &Program, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = program.run(arguments);
    ensure!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    Ok(output.stdout)
}

/// The text at a JSON pointer.
pub(crate) fn text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no text at {pointer} in {value}"))
}
