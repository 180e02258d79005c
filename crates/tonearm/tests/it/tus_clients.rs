//! Uploads by widely used clients: tus-js-client, and Uppy in a browser.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use fantoccini::Locator;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio::process::Command;
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::browser::Browser;
use crate::text;

/// The folder with the clients, once `make test` has fetched them.
fn clients() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/tus");
    let is_there = folder.join("node_modules/page.js").exists();
    if !is_there {
        eprintln!("the clients of tus are not there: tools/tus/fetch gets them");
    }
    is_there.then_some(folder)
}

/// A server, and files to upload to it.
struct Scene {
    server: TestServer,
    files: tempfile::TempDir,
    session: String,
}

impl Scene {
    async fn set(backend: Backend) -> Self {
        let server = TestServer::start(backend).await;
        let collection = server.client.collection("Clients").await;
        let session = json!({ "collection_id": collection });
        let session = server.client.post("/v1/upload_session", &session).await.ok();
        let session = text(&session, "/upload_session_id").to_owned();
        Self { server, files: tempfile::tempdir().unwrap(), session }
    }

    fn endpoint(&self) -> String {
        format!("{}/upload/tus", self.server.node.public_url())
    }

    /// The endpoint for clients that send no metadata with parts.
    fn endpoint_for_parts(&self) -> String {
        format!("{}?upload_session_id={}", self.endpoint(), self.session)
    }

    fn metadata(&self, name: &str) -> Value {
        json!({ "upload_session_id": self.session, "filename": name })
    }

    /// A file of a few megabytes that differs from all others.
    fn file(&self, name: &str, seed: u64) -> PathBuf {
        let signal = Signal::Noise { seed, amplitude: 0.3 };
        let path = self.files.path().join(name);
        std::fs::write(&path, wav(&WavSpec { seconds: 20.0, signal, ..WavSpec::default() })).unwrap();
        path
    }

    /// Checks that the file is the source of the track, byte for byte.
    async fn has(&self, track: &Value, file: &Path) {
        let track = track.as_str().unwrap_or_else(|| panic!("no track: {track}"));
        let track = self.server.client.get(&format!("/v1/track/{track}")).await.ok();
        let status = text(&track, "/track/track_status_id");
        assert!(!status.starts_with("init"), "the track has no source: {status}");
        let expected = Sha256::digest(std::fs::read(file).unwrap());
        assert!(self.sources().contains(&expected[..]), "the source has other bytes than {}", file.display());
    }

    /// The hashes of all sources in the store.
    fn sources(&self) -> HashSet<Vec<u8>> {
        let (mut folders, mut found) = (vec![self.server.data_dir().to_owned()], HashSet::new());
        while let Some(folder) = folders.pop() {
            // Other folders appear and disappear while tracks are processed.
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(entry.path());
                } else if entry.file_name().to_string_lossy().starts_with("source.") {
                    found.extend(std::fs::read(entry.path()).map(|bytes| Sha256::digest(bytes).to_vec()));
                }
            }
        }
        found
    }
}

/// Uploads with tus-js-client in a separate process, and returns the result.
async fn upload(clients: &Path, argument: Value) -> Value {
    let mut command = Command::new("node");
    command.arg("upload.js").arg(argument.to_string()).current_dir(clients).kill_on_drop(true);
    let output = tokio::time::timeout(EVENTUALLY, command.output()).await.expect("it ends").unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{argument}: {told}"))
}

fn count(came: &Value, method: &str) -> usize {
    came["requests"].as_array().unwrap().iter().filter(|found| *found == method).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn tus_js_client_uploads_in_all_its_ways() {
    let Some(clients) = clients() else { return };
    let scene = Scene::set(Backend::Embedded).await;
    let ways = [
        ("whole", scene.endpoint(), false, json!({})),
        ("with-creation", scene.endpoint(), false, json!({ "uploadDataDuringCreation": true })),
        ("pieces", scene.endpoint(), false, json!({ "chunkSize": 1_000_000 })),
        (
            "overridden",
            scene.endpoint(),
            false,
            json!({ "overridePatchMethod": true, "chunkSize": 2_000_000 }),
        ),
        ("parts", scene.endpoint_for_parts(), false, json!({ "parallelUploads": 3 })),
        (
            "parts-in-pieces",
            scene.endpoint_for_parts(),
            false,
            json!({ "parallelUploads": 2, "chunkSize": 700_000 }),
        ),
        ("deferred", scene.endpoint(), true, json!({ "uploadLengthDeferred": true, "chunkSize": 1_000_000 })),
    ];
    for (seed, (name, endpoint, is_stream, options)) in ways.into_iter().enumerate() {
        let file = scene.file(&format!("{name}.wav"), seed as u64 + 1);
        let argument = json!({
            "endpoint": endpoint, "path": file, "stream": is_stream, "options": options,
            "metadata": scene.metadata(name),
        });
        let came = upload(&clients, argument).await;
        assert!(came["url"].is_string(), "{name}: {came}");
        scene.has(&came["track"], &file).await;
    }
    scene.server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tus_js_client_resumes_what_another_process_has_begun() {
    let Some(clients) = clients() else { return };
    let scene = Scene::set(Backend::Embedded).await;
    let file = scene.file("paused.wav", 1);
    let argument = |pause_at: Option<u64>| {
        json!({
            "endpoint": scene.endpoint(), "path": file, "options": { "chunkSize": 500_000 }, "pauseAt": pause_at,
            "storage": scene.files.path().join("urls.json"), "metadata": scene.metadata("paused"),
        })
    };
    let paused = upload(&clients, argument(Some(1_000_000))).await;
    assert_eq!(paused["paused"], 1_000_000, "{paused}");
    let came = upload(&clients, argument(None)).await;
    assert!(came["url"].is_string(), "{came}");
    assert_eq!((count(&came, "POST"), count(&came, "HEAD")), (0, 1), "{came}");
    scene.has(&paused["track"], &file).await;
    scene.server.node.stop().await;
}

const PAGE: &str = "<!doctype html><meta charset=utf-8><input type=file><script src=page.js></script>";

/// A page with Uppy, on another origin than the service. Returns its address.
async fn page(clients: &Path) -> String {
    let script = std::fs::read_to_string(clients.join("node_modules/page.js")).unwrap();
    let script = move || std::future::ready(([("content-type", "text/javascript")], script.clone()));
    let router = Router::new().route("/", get(async || Html(PAGE))).route("/page.js", get(script));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

impl Browser {
    /// Chooses a file on a page with Uppy and uploads it, until an expression is true. Returns the methods of its
    /// requests, and the track.
    async fn uploads(&self, page: &str, file: &Path, arguments: Vec<Value>, until: &str) -> Value {
        self.goto(page).await;
        let input = self.client.find(Locator::Css("input")).await.unwrap();
        input.send_keys(file.to_str().unwrap()).await.unwrap();
        self.run("window.upload(...arguments)", arguments).await;
        self.until(&format!("window.failed || {until}")).await;
        assert_eq!(self.run("return window.failed ?? null", Vec::new()).await, Value::Null);
        let requests = self.run("return window.requests", Vec::new()).await;
        json!({ "requests": requests, "track": self.run("return window.track ?? null", Vec::new()).await })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uppy_uploads_from_a_browser() {
    let Some(clients) = clients() else { return };
    let scene = Scene::set(Backend::Embedded).await;
    let (browser, page) = (Browser::open().await, page(&clients).await);
    let ways = [
        ("whole", scene.endpoint(), json!({})),
        ("pieces", scene.endpoint(), json!({ "chunkSize": 600_000 })),
        ("parts", scene.endpoint_for_parts(), json!({ "parallelUploads": 2 })),
    ];
    for (seed, (name, endpoint, mut options)) in ways.into_iter().enumerate() {
        let file = scene.file(&format!("{name}.wav"), seed as u64 + 1);
        options["endpoint"] = endpoint.into();
        let came = browser.uploads(&page, &file, vec![options, scene.metadata(name)], "window.done").await;
        scene.has(&came["track"], &file).await;
        assert_eq!(count(&came, "POST"), if name == "parts" { 3 } else { 1 }, "{came}");
    }
    // A page that is opened again resumes the upload when the same file is chosen again.
    let file = scene.file("resumed.wav", 9);
    let options = json!({ "endpoint": scene.endpoint(), "chunkSize": 300_000 });
    let arguments = vec![options, scene.metadata("resumed"), json!(600_000)];
    let paused = browser.uploads(&page, &file, arguments.clone(), "window.paused").await;
    assert_eq!(count(&paused, "POST"), 1, "{paused}");
    let came = browser.uploads(&page, &file, arguments[..2].to_vec(), "window.done").await;
    assert_eq!((count(&came, "POST"), count(&came, "HEAD")), (0, 1), "{came}");
    scene.has(&paused["track"], &file).await;
    browser.close().await;
    scene.server.node.stop().await;
}
