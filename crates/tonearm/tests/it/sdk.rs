//! What the clients in `sdk/` are made from. `tools/sdk/test` tests the clients themselves.

use std::path::PathBuf;
use std::process::Command;

use axum::Router;
use axum::extract::Path;
use axum::response::Html;
use axum::routing::get;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::browser::Browser;
use crate::{binary, text};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_are_made_from_what_the_service_describes() {
    let printed = Command::new(binary()).arg("openapi").output().unwrap();
    assert!(printed.status.success());
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let server = TestServer::start(Backend::Embedded).await;
    assert_eq!(server.client.get("/openapi.json").await.ok(), printed);
    server.node.stop().await;

    let kept = std::fs::read_to_string(root().join("sdk/openapi.json")).unwrap();
    let kept: Value = serde_json::from_str(&kept).unwrap();
    assert!(kept == printed, "sdk/openapi.json is not what the service describes: run `make sdk`");
    let Ok(checked) = Command::new(root().join("tools/sdk/generate")).arg("--check").output() else {
        eprintln!("the clients are not made again: that takes python3");
        return;
    };
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

const PAGE: &str = r#"<!doctype html><meta charset=utf-8><script type=module>
import { Tonearm } from "./src/index.js";
window.upload = async (server, session) => {
  const tonearm = new Tonearm({ server });
  const song = await (await fetch("song.wav")).blob();
  const sent = [];
  const options = { pieceBytes: 100_000, onProgress: (progress) => sent.push(progress.sent) };
  const { track_id } = await tonearm.uploadToSession(new File([song], "song.wav"), session, {}, options);
  window.done = { track_id, sent };
};
window.isLoaded = true;
</script>"#;

/// A page with the modules of the client and a song, on another origin than the service. Returns its address.
async fn page(song: Vec<u8>) -> String {
    let folder = root().join("sdk/typescript/src");
    let module = async move |Path(name): Path<String>| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        ([("content-type", "text/javascript")], text)
    };
    let router = Router::new().route("/", get(async || Html(PAGE))).route("/src/{*name}", get(module));
    let router = router.route("/song.wav", get(async move || song));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_upload_with_the_modules_of_the_client() {
    let server = TestServer::start(Backend::Embedded).await;
    let collection = server.client.collection("Pages").await;
    let session =
        server.client.post("/v1/upload_session", &json!({ "collection_id": collection })).await.ok();
    let song = wav(&WavSpec { seconds: 2.0, ..WavSpec::default() });
    let (browser, page) = (Browser::open().await, page(song.clone()).await);
    browser.goto(&page).await;
    browser.until("window.isLoaded").await;
    let begin = "window.upload(...arguments).catch((error) => { window.failed = String(error); })";
    let arguments = vec![server.node.public_url().into(), session["upload_session_id"].clone()];
    browser.run(begin, arguments).await;
    browser.until("window.failed || window.done").await;
    assert_eq!(browser.run("return window.failed ?? null", Vec::new()).await, Value::Null);
    let done = browser.run("return window.done", Vec::new()).await;
    let size = song.len();
    let sent: Vec<usize> = (100_000..size).step_by(100_000).chain([size]).collect();
    assert_eq!(done["sent"], json!(sent));
    let path = format!("/v1/track?source_sha256={}", hex::encode(Sha256::digest(&song)));
    let found = server.client.get(&path).await.ok();
    assert_eq!(text(&found, "/tracks/0/id"), text(&done, "/track_id"));
    browser.close().await;
    server.node.stop().await;
}
