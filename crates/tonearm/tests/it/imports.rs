//! Files that a running service imports from a URL.

use std::time::Duration;

use serde_json::json;
use tonearm_domain::WebhookKind;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{FileAnswer, FileServer};
use tonearm_service::Caller;
use tonearm_testkit::{Backend, TestServer};

use crate::receiver::Receiver;
use crate::text;

const PRIVATE: (&str, &str) = ("TONEARM_OUTBOUND_ALLOW_PRIVATE", "true");

fn song() -> Vec<u8> {
    wav(&WavSpec { seconds: 2.0, ..WavSpec::default() })
}

async fn a_file_is_imported_through_redirects_and_breaks(backend: Backend) {
    let server = TestServer::start_with(backend, &[PRIVATE]).await;
    let third = song().len() / 3 + 1;
    let files = FileServer::start(move |request| match request.path.as_str() {
        "/latest?token=secret" => FileAnswer::redirect("302 Found", "/songs/1"),
        _ => FileAnswer::of(request, &song(), "a")
            .cut(third)
            .with("content-type", "application/octet-stream")
            .with("content-disposition", "attachment; filename=\"Dawn.wav\""),
    })
    .await;
    let client = &server.client;
    let collection = client.collection("Imported").await;
    let body = json!({ "collection_id": collection, "source_url": files.url("/latest?token=secret") });
    let created = client.post("/v1/track", &body).await.ok();
    assert_eq!(text(&created, "/track/file_name"), "latest");
    let track = client.settled(text(&created, "/track_id")).await;
    assert_eq!(
        (text(&track, "/track_status_id"), text(&track, "/file_name")),
        ("ready", "Dawn.wav"),
        "{track}"
    );
    assert_eq!(track["info"]["size"], song().len());
    let asked = files.requests();
    assert_eq!(asked.iter().filter(|request| request.path == "/songs/1").count(), 3, "{asked:?}");
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_imported_through_redirects_and_breaks_embedded() {
    Box::pin(a_file_is_imported_through_redirects_and_breaks(Backend::Embedded)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_imported_through_redirects_and_breaks_distributed() {
    Box::pin(a_file_is_imported_through_redirects_and_breaks(Backend::Distributed)).await;
}

async fn a_failure_is_told_to_webhooks(backend: Backend) {
    let server = TestServer::start_with(backend, &[PRIVATE]).await;
    let receiver = Receiver::start(Duration::ZERO).await;
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let webhooks = &server.node.services().unwrap().webhooks;
    webhooks.set(&caller, WebhookKind::Track, receiver.url().into()).await.unwrap();
    let files = FileServer::start(|_| FileAnswer::whole(b"<html>").with("content-type", "text/html")).await;
    let client = &server.client;
    let body = json!({
        "collection_id": client.collection("Imported").await,
        "source_url": files.url("/song.mp3"),
        "file_name": "song.mp3",
    });
    let created = client.post("/v1/track", &body).await.ok();
    let track = client.settled(text(&created, "/track_id")).await;
    assert_eq!(text(&track, "/track_status_id"), "init_error");
    let reason = text(&track, "/status_reason");
    assert!(reason.contains("leads to a document (text/html)"), "{reason}");
    let told = receiver.wait_for(1).await;
    assert_eq!(
        (text(&told[0].json, "/status"), told[0].header("x-adn-event")),
        ("init_error", "track.status_changed")
    );
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_told_to_webhooks_embedded() {
    Box::pin(a_failure_is_told_to_webhooks(Backend::Embedded)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failure_is_told_to_webhooks_distributed() {
    Box::pin(a_failure_is_told_to_webhooks(Backend::Distributed)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn private_addresses_are_refused_unless_they_are_allowed() {
    let server = TestServer::start(Backend::Embedded).await;
    let files = FileServer::start(|_| FileAnswer::whole(&song())).await;
    let client = &server.client;
    let collection = client.collection("Imported").await;
    let import = |url: String| json!({ "collection_id": collection, "source_url": url });
    let refused = client.post("/v1/track", &import(files.url("/song.wav"))).await;
    assert_eq!((refused.status.as_u16(), refused.json()["field"].as_str()), (400, Some("source_url")));
    // A host name is resolved only when the file is requested.
    let created = client.post("/v1/track", &import(files.url_at("localhost", "/song.wav"))).await.ok();
    let track = client.settled(text(&created, "/track_id")).await;
    assert_eq!(text(&track, "/track_status_id"), "init_error");
    let reason = text(&track, "/status_reason");
    assert!(reason.contains("localhost leads to an address that is not public"), "{reason}");
    assert!(files.requests().is_empty());
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn imports_can_be_turned_off() {
    let off = [PRIVATE, ("TONEARM_OUTBOUND_ALLOW_IMPORTS", "false")];
    let server = TestServer::start_with(Backend::Embedded, &off).await;
    let client = &server.client;
    let body = json!({
        "collection_id": client.collection("Imported").await,
        "source_url": "https://example.com/song.mp3",
    });
    let refused = client.post("/v1/track", &body).await;
    assert_eq!((refused.status.as_u16(), refused.json()["code"].as_str()), (403, Some("imports_disabled")));
    server.node.stop().await;
}
