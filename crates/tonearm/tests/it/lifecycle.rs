//! Starting, health, stopping, and several nodes over one catalog.

use tonearm::Role;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::{Backend, TestServer};

use crate::{on_both_backends, text};

on_both_backends!(a_node_is_healthy_and_ready, roles_are_kept_apart, unused_upload_urls_expire);

async fn a_node_is_healthy_and_ready(server: TestServer) {
    let client = server.client.without_key();
    assert_eq!(client.get("/healthz").await.ok()["ok"], true);
    let ready = client.get("/readyz").await.ok();
    assert_eq!(
        ready,
        serde_json::json!({"ok": true, "database": "ok", "store": "ok", "ffmpeg": "ok", "space": "ok"})
    );
    server.node.stop().await;
}

/// One node takes uploads, another processes them, a third delivers.
async fn roles_are_kept_apart(server: TestServer) {
    let edge = server.another_node(vec![Role::Edge]).await;
    let api = server.another_node(vec![Role::Api]).await;
    let client = &server.client;
    let collection = client.collection("Split").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    let session = client.post("/v1/play_session/track", &serde_json::json!({"track_id": id})).await.ok();
    let url = text(&session, "/first_track/variants/0/url");
    let at = |node: &tonearm::Node| url.replace(server.node.public_url(), node.public_url());
    assert_eq!(client.get(&at(&edge)).await.status, 200);
    assert_eq!(client.get(&at(&api)).await.status, 404);
    assert_eq!(client.get(&format!("{}/v1/track/{id}", edge.public_url())).await.status, 404);
    edge.stop().await;
    api.stop().await;
}

async fn unused_upload_urls_expire(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Unused").await;
    let created = client.track(&collection, "never.wav").await;
    server.clock.advance_seconds(3600);
    let track = client.settled(text(&created, "/track_id")).await;
    assert_eq!(track["track_status_id"], "init_error");
    let put = client.request(reqwest::Method::PUT, text(&created, "/track_upload/upload_url"));
    assert_eq!(client.send(put.body("late")).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stopped_node_returns_its_leases() {
    let server = TestServer::start(Backend::Embedded).await;
    let client = &server.client;
    let collection = client.collection("Interrupted").await;
    let long = wav(&WavSpec { seconds: 120.0, ..WavSpec::default() });
    let id = client.upload(&collection, "long.wav", long).await;
    let other = server.another_node(vec![Role::Api, Role::Worker]).await;
    let other_client = tonearm_testkit::Client::new(other.public_url(), client.key());
    server.node.stop().await;
    // The hand-set clock stands still, so no lease runs out by itself: the job must have been returned.
    assert_eq!(other_client.settled(&id).await["track_status_id"], "ready");
    other.stop().await;
}
