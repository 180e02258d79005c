//! Starting, health, stopping, and several nodes over one catalog.

use tonearm::Role;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{CommitProxy, EVENTUALLY};
use tonearm_testkit::{Backend, TestServer};

use crate::{eventually, on_both_backends, text};

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

/// Only this machine learns what is not ready. The result is cached for some seconds.
#[tokio::test(flavor = "multi_thread")]
async fn readiness_costs_little_and_tells_others_little() {
    let trusting = [("TONEARM_TRUSTED_PROXIES", "127.0.0.1")];
    let server = TestServer::start_with(Backend::Embedded, &trusting).await;
    let client = server.client.without_key();
    let ask = async |from: &str| {
        client.send(client.request(reqwest::Method::GET, "/readyz").header("X-Forwarded-For", from)).await
    };
    assert_eq!(ask("203.0.113.9").await.ok(), serde_json::json!({"ok": true}));
    std::fs::rename(server.data_dir().join("objects"), server.data_dir().join("away")).unwrap();
    assert_eq!(ask("127.0.0.1").await.ok()["store"], "ok", "it is not looked at each time");
    eventually("it is checked again", async || ask("203.0.113.9").await.status == 503).await;
    assert_eq!(ask("203.0.113.9").await.json(), serde_json::json!({"ok": false}));
    assert_eq!(ask("127.0.0.1").await.json()["store"], "unavailable");
}

/// Load balancers learn that a node will stop before it does.
#[tokio::test]
async fn a_node_that_is_to_stop_says_so_and_goes_on_for_a_while() {
    let data = tempfile::tempdir().unwrap();
    let mut program = tonearm_testkit::Program::new(crate::binary(), data.path());
    program.set("TONEARM_SHUTDOWN_DELAY_SECONDS", "3600");
    program.start().await;
    let client = tonearm_testkit::Client::new(&program.url(), "");
    assert_eq!(client.get("/readyz").await.status, 200);
    assert!(program.ask_to_stop());
    eventually("it is not ready", async || client.get("/readyz").await.status != 200).await;
    assert_eq!(client.get("/readyz").await.json(), serde_json::json!({"ok": false, "stopping": true}));
    assert_eq!(client.get("/healthz").await.status, 200, "requests are still answered");
    // A second stop request ends the wait.
    assert!(program.terminate(), "{}", program.log());
}

/// The start has ended when it answers, so what fails then is an outage.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_fails_after_the_start_does_not_end_the_node() {
    let (data, proxy) = (tempfile::tempdir().unwrap(), CommitProxy::start().await);
    proxy.close_at("INSERT INTO \"invitation\"");
    let mut program = tonearm_testkit::Program::new(crate::binary(), data.path());
    program.set("TONEARM_DATABASE_URL", &proxy.url);
    program.set("TONEARM_SECRET", "a secret for tests that is long enough to be one");
    program.start().await;
    eventually("the database is away", async || proxy.is_closed()).await;
    let warned = async || program.log().contains("could not print what the first users need");
    eventually("it is told", warned).await;
    proxy.open();
    let client = tonearm_testkit::Client::new(&program.url(), "");
    eventually("the node is ready again", async || client.get("/readyz").await.status == 200).await;
    assert!(program.terminate(), "{}", program.log());
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
    // The clock of the test stands still, so no lease expires by itself: the job must have been returned.
    assert_eq!(other_client.settled(&id).await["track_status_id"], "ready");
    other.stop().await;
}

/// The connections to the database stay open, and nothing comes back.
#[tokio::test(flavor = "multi_thread")]
async fn a_node_whose_database_hangs_ends_when_it_is_told_to() {
    let (data, proxy) = (tempfile::tempdir().unwrap(), CommitProxy::start().await);
    let mut program = tonearm_testkit::Program::new(crate::binary(), data.path());
    program.set("TONEARM_DATABASE_URL", &proxy.url);
    program.set("TONEARM_SECRET", "a secret for tests that is long enough to be one");
    program.set("TONEARM_SHUTDOWN_DELAY_SECONDS", "0");
    program.set("TONEARM_SHUTDOWN_DRAIN_SECONDS", "1");
    program.start().await;
    let client = tonearm_testkit::Client::new(&program.url(), "");
    eventually("the node is ready", async || client.get("/readyz").await.status == 200).await;
    proxy.silence();
    // By then, whatever the node does at intervals waits for the database.
    eventually("it notices", async || client.get("/readyz").await.status != 200).await;
    assert!(program.ask_to_stop());
    // Everything that is waited for has an end: in all 24 seconds.
    let ended = tokio::task::spawn_blocking(move || (program.terminate(), program.log()));
    let (ended_well, log) = tokio::time::timeout(EVENTUALLY, ended).await.unwrap().unwrap();
    assert!(ended_well, "{log}");
}
