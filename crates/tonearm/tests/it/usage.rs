//! Playback is counted to the byte, on every node.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::json;
use sha2::Sha256;
use tonearm::Role;
use tonearm_catalog::AuditFilter;
use tonearm_domain::{Clock as _, ObjectKey};
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::Caller;
use tonearm_testkit::{Backend, Client, Program, TestServer};

use crate::command_output::{create_organization, json_of};
use crate::{binary, eventually, on_both_backends, text};

on_both_backends!(all_nodes_count_and_lose_nothing, edges_without_a_catalog_learn_of_keys_and_of_their_end);

/// Delivers from a node with all roles and from one without a catalog, stops both, and queries a third.
async fn all_nodes_count_and_lose_nothing(server: TestServer) {
    let edge = server.another_node(vec![Role::Edge]).await;
    let client = &server.client;
    let collection = client.collection("Counted").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    assert_eq!(client.settled(&id).await["track_status_id"], "ready");
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    let session_id = text(&session, "/play_session_id");
    assert_eq!(client.get(&format!("/v1/play/{session_id}/{id}")).await.status, 200);
    let url = text(&session, "/first_track/variants/0/url");
    let at_edge = url.replace(server.node.public_url(), edge.public_url());
    let mut bytes = 0;
    for (url, range) in [(url, "0-"), (url, "100-199"), (&at_edge, "0-"), (&at_edge, "5-9")] {
        bytes += client.get_range(url, range).await.bytes.len();
    }
    edge.stop().await;
    let last = server.another_node(vec![Role::Api]).await;
    let reader = Client::new(last.public_url(), client.key());
    server.node.stop().await;
    let begun = Instant::now();
    let counted = loop {
        let report = reader.get("/v1/usage?group=track").await.ok();
        if report["total"]["bytes"] == bytes {
            break report;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{bytes} bytes were delivered: {report}");
        // Nodes look for counts that other nodes left every ten seconds.
        server.clock.advance_seconds(1);
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let row = &counted["usage"][0];
    assert_eq!((&row["track_id"], &row["bytes"]), (&json!(id), &json!(bytes)));
    assert_eq!((&row["starts"], &row["track_fetches"]), (&json!(2), &json!(1)));
    last.stop().await;
}

/// A node that has nothing but the store accepts a key that another node created, until another node revokes it.
async fn edges_without_a_catalog_learn_of_keys_and_of_their_end(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Signed").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    let path = text(&session, "/first_track/variants/0/path").trim_start_matches('/').to_owned();
    let (ambient, _) = tonearm_fixtures::ambient();
    let keys = server.node.services().unwrap().signing_keys(&ambient);
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let created = keys.create(&caller, "backend").await.unwrap();
    let url = sign(created.key.id.as_str(), &created.secret, &path, server.clock.now().unix_seconds());
    let anyone = client.without_key();
    becomes(&anyone, &url, 200).await;
    let edge = server
        .another_node_with(|config| {
            config.roles = vec![Role::Edge];
            config.key_refresh_interval = Duration::from_millis(50);
        })
        .await;
    // The node with the catalog publishes keys as soon as it knows them, and a node that starts looks for keys at once.
    becomes(&anyone, &format!("{}{url}", edge.public_url()), 200).await;
    let unknown = sign("aaaaaaaaaaaa", &created.secret, &path, server.clock.now().unix_seconds());
    assert_eq!(anyone.get(&format!("{}{unknown}", edge.public_url())).await.status, 401);

    let other = keys.create(&caller, "another backend").await.unwrap();
    let others = sign(other.key.id.as_str(), &other.secret, &path, server.clock.now().unix_seconds());
    server.clock.advance_seconds(1);
    becomes(&anyone, &format!("{}{others}", edge.public_url()), 200).await;
    server.clock.advance_seconds(1);
    keys.revoke(&caller, created.key.id).await.unwrap();
    for node in [server.node.public_url(), edge.public_url()] {
        becomes(&anyone, &format!("{node}{url}"), 401).await;
        // URLs that were signed with other keys stay valid.
        assert_eq!(anyone.get(&format!("{node}{others}")).await.status, 200);
    }
    edge.stop().await;
    server.node.stop().await;
}

/// Signs as an organization's backend would, with nothing but the text of the key, the path and the time.
pub(crate) fn sign(key_id: &str, secret: &str, path: &str, issued: i64) -> String {
    let mark = if path.contains('?') { '&' } else { '?' };
    let signed = format!("/{path}{mark}ttl=600&kid={key_id}");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(format!("{signed}{issued}").as_bytes());
    let mac = BASE64_URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes());
    format!("{signed}&verify={issued}-{mac}")
}

/// Repeats a request until the response has this status.
async fn becomes(client: &Client, path: &str, status: u16) {
    let what = format!("the status is {status}");
    eventually(&what, async || client.get(path).await.status == status).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backend_signs_with_its_own_key_until_it_is_revoked() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Signs");
    let org = text(&made, "/organization_id").to_owned();
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("C").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    let path = text(&session, "/first_track/variants/0/path").trim_start_matches('/').to_owned();

    let key =
        json_of(&program.run(&["signing-key", "create", "--org", &org, "--title", "backend", "--json"]));
    let (key_id, secret) = (text(&key, "/signing_key_id"), text(&key, "/secret"));
    let now = tonearm::ambient::system().now().unix_seconds();
    let url = sign(key_id, secret, &path, now);
    let anyone = client.without_key();
    becomes(&anyone, &url, 200).await;
    let wrong = sign(key_id, &secret.replace(|_| true, "0"), &path, now);
    assert_eq!(anyone.get(&wrong).await.status, 401);
    let listed = program.run(&["signing-key", "list", "--org", &org]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert!(listed.contains(key_id) && listed.contains("backend") && !listed.contains(secret), "{listed}");

    assert!(program.run(&["signing-key", "revoke", "--org", &org, "--key", key_id]).status.success());
    becomes(&anyone, &url, 401).await;
    assert!(!program.run(&["signing-key", "revoke", "--org", &org, "--key", key_id]).status.success());
}

/// The statuses of four requests that name their clients, and the address in the audit log for a fifth one.
async fn seen_through_a_proxy(variables: &[(&str, &str)]) -> (Vec<u16>, String) {
    let server = TestServer::start_with(tonearm_testkit::Backend::Embedded, variables).await;
    let for_client = |method, path, address: &str| {
        let request = server.client.request(method, path);
        request.header("x-forwarded-for", format!("127.0.0.1, {address}"))
    };
    let mut statuses = Vec::new();
    for address in ["203.0.113.1", "203.0.113.1", "203.0.113.1", "203.0.113.2"] {
        let asked = for_client(reqwest::Method::GET, "/v1/variant", address);
        statuses.push(server.client.send(asked).await.status.as_u16());
    }
    let made = for_client(reqwest::Method::POST, "/v1/collection", "203.0.113.9");
    server.client.send(made.json(&json!({"title": "C"}))).await.ok();
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let filter = AuditFilter { action: Some("collection.create".to_owned()), ..AuditFilter::default() };
    let audit = &server.node.services().unwrap().audit;
    let lines = audit.entries(&caller, &filter, None, 10).await.unwrap();
    let address = lines[0].address.map(|address| address.to_string()).unwrap_or_default();
    server.node.stop().await;
    (statuses, address)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_trusted_proxies_say_whose_request_it_is() {
    let limited = ("TONEARM_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS", "2");
    // Requests from the loopback address are not counted, and all of these seem to come from it.
    let (statuses, address) = seen_through_a_proxy(&[limited]).await;
    assert_eq!((statuses.as_slice(), address.as_str()), (&[200, 200, 200, 200][..], "127.0.0.1"));
    let trusting = ("TONEARM_TRUSTED_PROXIES", "127.0.0.0/8,::1");
    let (statuses, address) = seen_through_a_proxy(&[limited, trusting]).await;
    assert_eq!((statuses.as_slice(), address.as_str()), (&[200, 200, 429, 200][..], "203.0.113.9"));
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_survive_a_kill_after_a_second_and_any_stop() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let made = create_organization(&program, "Counts");
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("C").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    let url = text(&session, "/first_track/variants/0/url");
    let total = async || client.get("/v1/usage").await.ok()["total"]["bytes"].as_u64().unwrap();

    let mut bytes = client.get_range(url, "0-").await.bytes.len() as u64;
    // A second, plus the time that a busy machine takes to do it.
    eventually("the delivery is stored", async || total().await == bytes).await;
    program.kill();
    program.start().await;
    assert_eq!(total().await, bytes);

    bytes += client.get_range(url, "5-99").await.bytes.len() as u64;
    assert!(program.terminate());
    program.start().await;
    assert_eq!(total().await, bytes);
}

/// The node stops during an outage. Its deliveries are counted after its next start.
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_stored_at_the_end_is_counted_after_the_next_start() {
    let server = TestServer::start(Backend::Embedded).await;
    let (path, sound) = crate::edge::deliverable(&server).await;
    let edge = server.another_node(vec![Role::Edge]).await;
    // Files can be delivered, but the place for batches is not a folder.
    let reserved = server.data_dir().join("objects").join(ObjectKey::RESERVED.to_string());
    let obstacle = reserved.join("usagebatches");
    drop(std::fs::remove_dir(&obstacle));
    std::fs::create_dir_all(&reserved).unwrap();
    std::fs::write(&obstacle, "not a folder").unwrap();
    let delivered = server.client.get(&format!("{}{path}", edge.public_url())).await;
    assert_eq!((delivered.status.as_u16(), delivered.bytes.len()), (200, sound.len()));
    edge.stop().await;
    let left = server.data_dir().join("unstored-usage");
    // One batch, or two if the delivery was counted in parts.
    assert!((1..=2).contains(&std::fs::read_dir(&left).unwrap().count()));

    std::fs::remove_file(&obstacle).unwrap();
    let edge = server.another_node(vec![Role::Edge]).await;
    let begun = Instant::now();
    loop {
        let report = server.client.get("/v1/usage").await.ok();
        if report["total"]["bytes"] == sound.len() {
            break;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{report}");
        server.clock.advance_seconds(1);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(std::fs::read_dir(&left).unwrap().count(), 0);
    edge.stop().await;
    server.node.stop().await;
}
