//! A listen is audio that a listener received, over any protocol and from any node.

use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tonearm::Role;
use tonearm_domain::Origin;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_fixtures::{EVENTUALLY, country_database};
use tonearm_service::ListenerReference;
use tonearm_testkit::{Backend, Client, Program, TestServer};

use crate::{binary, on_both_backends, text};

on_both_backends!(
    what_listeners_receive_is_counted,
    share_links_count_what_is_heard,
    a_listener_is_told_and_forgotten,
);

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:120.0) Gecko/20100101 Firefox/120.0";
const SAFARI: &str = "Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 Version/17.1 Safari/605.1.15";

/// A track of two minutes.
pub(crate) async fn two_minutes(client: &Client) -> (String, String) {
    let collection = client.collection("Songs of the tide").await;
    let signal = Signal::Sine { hz: 220.0, amplitude: 0.5 };
    let spec = WavSpec { seconds: 120.0, sample_rate: 8_000, channels: 1, signal, ..WavSpec::default() };
    let track = client.upload(&collection, "ebb.wav", wav(&spec)).await;
    client.settled(&track).await;
    (track, collection)
}

/// A listener with this browser receives a range of the file.
async fn takes(client: &Client, url: &str, agent: &str, bytes: std::ops::Range<u64>) {
    assert_eq!(client.send(piece(client, url, agent, bytes)).await.status, 206);
}

fn piece(client: &Client, url: &str, agent: &str, bytes: std::ops::Range<u64>) -> RequestBuilder {
    let range = format!("bytes={}-{}", bytes.start, bytes.end - 1);
    let request = client.request(Method::GET, url).header("range", range).header("user-agent", agent);
    request.header("referer", "https://blog.example/post")
}

async fn total(client: &Client) -> Value {
    client.get("/v1/listens").await.ok()["total"].clone()
}

/// Requests the total until it is as expected.
async fn becomes(server: &TestServer, expected: &Value) {
    reports(server, "/v1/listens", expected).await;
}

/// Requests a report until its total has the expected fields. Deliveries are stored in batches, so that what was delivered last may
/// appear after what came before it.
async fn reports(server: &TestServer, path: &str, expected: &Value) {
    let begun = Instant::now();
    loop {
        let total = server.client.get(path).await.ok()["total"].clone();
        if expected.as_object().unwrap().iter().all(|(name, value)| total[name] == *value) {
            return;
        }
        assert!(begun.elapsed() < EVENTUALLY, "{path}: {total} is not {expected}");
        server.clock.advance_seconds(1);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

async fn rows(client: &Client, group: &str) -> Vec<(Value, Value, u64)> {
    let report = client.get(&format!("/v1/listens?group={group}")).await.ok();
    let row = |row: &Value| (row["id"].clone(), row["title"].clone(), row["listens"].as_u64().unwrap());
    report["listens"].as_array().unwrap().iter().map(row).collect()
}

async fn what_listeners_receive_is_counted(server: TestServer) {
    let edge = server.another_node(vec![Role::Edge]).await;
    let client = &server.client;
    let (track, collection) = two_minutes(client).await;
    let asked = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    let url = text(&session, "/first_track/variants/0/url").to_owned();
    let size = session["first_track"]["variants"][0]["size"].as_u64().unwrap();
    let at_edge = url.replace(server.node.public_url(), edge.public_url());
    let anyone = client.without_key();

    // These are not listens: looking a track up, fetching only the beginning, and requests of programs.
    let session_id = text(&session, "/play_session_id");
    for method in [Method::HEAD, Method::GET] {
        let path = format!("/v1/play/{session_id}/{track}");
        let request = anyone.request(method, &path).header("user-agent", FIREFOX);
        assert_eq!(anyone.send(request).await.status, 200);
    }
    let head = anyone.request(Method::HEAD, &url).header("user-agent", FIREFOX);
    assert_eq!(anyone.send(head).await.status, 200);
    // A tenth of two minutes, plus a byte for rounding.
    takes(&anyone, &url, FIREFOX, 0..size / 10 + 1).await;
    takes(&anyone, &url, "Googlebot/2.1", 0..size).await;
    becomes(&server, &json!({"listens": 0, "listeners": 0, "seconds_heard": 12})).await;
    // HEAD counts nothing.
    reports(&server, "/v1/usage", &json!({"track_fetches": 1, "starts": 2})).await;

    // The rest of a minute, from two nodes; and another browser at the same address.
    takes(&anyone, &url, FIREFOX, size / 10..size / 3).await;
    takes(&anyone, &at_edge, FIREFOX, size / 3..size / 3 * 2 + 2).await;
    takes(&anyone, &at_edge, FIREFOX, size / 3..size / 3 * 2 + 2).await;
    takes(&anyone, &at_edge, SAFARI, 0..size).await;
    becomes(&server, &json!({"listens": 2, "listeners": 2, "seconds_heard": 200})).await;
    assert_eq!(rows(client, "track").await, [(json!(track), json!("ebb"), 2)]);
    assert_eq!(rows(client, "collection").await, [(json!(collection), json!("Songs of the tide"), 2)]);
    assert_eq!(rows(client, "referrer").await, [(json!("blog.example"), Value::Null, 2)]);
    assert_eq!(rows(client, "share_link").await, []);
    assert_eq!(rows(client, "country").await, [], "there is no database of countries");

    // The same browser on the next day.
    let before = total(client).await["listens"].as_u64().unwrap();
    server.clock.advance_seconds(86_400);
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    takes(&anyone, text(&session, "/first_track/variants/0/url"), FIREFOX, 0..size).await;
    becomes(&server, &json!({"listens": before + 1, "listeners": 3, "seconds_heard": 320})).await;
    let requests = client.get("/v1/usage").await.ok()["total"].clone();
    assert_eq!((&requests["track_fetches"], &requests["starts"]), (&json!(1), &json!(4)));
    edge.stop().await;
    server.node.stop().await;
}

async fn share_links_count_what_is_heard(server: TestServer) {
    let client = &server.client;
    let (track, _) = two_minutes(client).await;
    let body = json!({"title": "For Ben", "api_key_type_id": "share", "variants": ["hq"]});
    let key = client.post("/v1/api_key", &body).await.ok();
    let (id, link) = (text(&key, "/api_key_id"), format!("/v1/stream/{track}/{}", text(&key, "/api_key")));
    let anyone = client.without_key();
    let open = async |method, agent: &str| {
        let request = anyone.request(method, &link).header("user-agent", agent);
        let opened = anyone.send(request).await;
        assert_eq!(opened.status, 302);
        opened.header("location").to_owned()
    };
    open(Method::HEAD, FIREFOX).await;
    let url = open(Method::GET, FIREFOX).await;
    open(Method::GET, SAFARI).await;
    let size = anyone.get(&url).await.bytes.len() as u64;
    takes(&anyone, &url, FIREFOX, 0..size).await;
    becomes(&server, &json!({"listens": 1, "listeners": 1, "seconds_heard": 120})).await;
    assert_eq!(rows(client, "share_link").await, [(json!(id), json!("For Ben"), 1)]);
    // HEAD counts nothing.
    reports(&server, "/v1/usage", &json!({"stream_redirects": 2})).await;
    server.node.stop().await;
}

async fn a_listener_is_told_and_forgotten(server: TestServer) {
    let client = &server.client;
    let (track, _) = two_minutes(client).await;
    let session = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &session).await.ok();
    let url = text(&session, "/first_track/variants/0/url").to_owned();
    let size = session["first_track"]["variants"][0]["size"].as_u64().unwrap();
    let anyone = client.without_key();
    for agent in [FIREFOX, SAFARI] {
        takes(&anyone, &url, agent, 0..size).await;
    }
    let counted = json!({"listens": 2, "listeners": 2, "seconds_heard": 240, "seconds_played": 0});
    becomes(&server, &counted).await;
    let privacy = server.node.services().unwrap().privacy(&server.ambient);
    let visitor = |agent: &str| ListenerReference::Visitor {
        address: "127.0.0.1".parse().unwrap(),
        agent: Some(agent.to_owned()),
    };
    let heard = async |agent| privacy.listener(&visitor(agent)).await.unwrap();
    let kept = heard(FIREFOX).await;
    let mut kinds: Vec<_> = kept.sightings.iter().map(|sighting| sighting.kind.as_str()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["collection", "organization", "referrer"]);
    let found = kept.listening;
    assert_eq!((found.len(), found[0].is_listen), (1, true));
    assert_eq!(found[0].referrer.as_deref(), Some("blog.example"));
    assert_eq!(found[0].country, None);
    assert_eq!(privacy.erase_listener(Origin::command_line(), &visitor(FIREFOX)).await.unwrap(), 4);
    assert!(heard(FIREFOX).await.is_empty(), "neither time nor sightings");
    assert_eq!(heard(SAFARI).await.listening.len(), 1, "others are left alone");
    assert_eq!(total(client).await, counted, "sums are about nobody");
    server.node.stop().await;
}

/// Listeners in two countries and elsewhere, served by nodes with and without a catalog.
async fn listens_are_told_by_country(backend: Backend) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("countries.mmdb");
    std::fs::write(&path, country_database(&[("203.0.113.0/24", "DE"), ("2001:db8::/32", "FR")])).unwrap();
    let variables = [
        ("TONEARM_TRUSTED_PROXIES", "127.0.0.0/8,::1"),
        ("TONEARM_USAGE_COUNTRY_DATABASE", path.to_str().unwrap()),
    ];
    let server = TestServer::start_with(backend, &variables).await;
    let edge = server.another_node(vec![Role::Edge]).await;
    let client = &server.client;
    let (track, _) = two_minutes(client).await;
    let asked = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &asked).await.ok();
    let url = text(&session, "/first_track/variants/0/url").to_owned();
    let size = session["first_track"]["variants"][0]["size"].as_u64().unwrap();
    let at_edge = url.replace(server.node.public_url(), edge.public_url());
    let anyone = client.without_key();
    for (url, address) in [
        (&url, "203.0.113.7"),
        (&url, "203.0.113.7"),
        (&url, "203.0.113.8"),
        (&at_edge, "2001:db8::1"),
        (&at_edge, "198.51.100.1"),
    ] {
        let request = piece(&anyone, url, FIREFOX, 0..size).header("x-forwarded-for", address);
        assert_eq!(anyone.send(request).await.status, 206);
    }
    becomes(&server, &json!({"listens": 4, "listeners": 4, "seconds_heard": 480})).await;
    let null = Value::Null;
    assert_eq!(rows(client, "country").await, [(json!("DE"), null.clone(), 2), (json!("FR"), null, 1)]);
    let privacy = server.node.services().unwrap().privacy(&server.ambient);
    let (address, agent) = ("203.0.113.7".parse().unwrap(), Some(FIREFOX.to_owned()));
    let kept = privacy.listener(&ListenerReference::Visitor { address, agent }).await.unwrap();
    assert_eq!(kept.listening[0].country.as_deref(), Some("DE"));
    let days = client.get("/v1/listens").await.ok();
    let organization = server.organization_id.as_str();
    let (from, to) = (text(&days, "/from"), text(&days, "/to"));
    let command =
        ["usage", "--org", organization, "--group", "country", "--from", from, "--to", to, "--json"];
    let printed = server.program(binary()).run(&command);
    let printed = String::from_utf8(printed.stdout).unwrap();
    let lines: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert_eq!((&lines[0]["country"], &lines[0]["listens"]), (&json!("DE"), &json!(2)));
    edge.stop().await;
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listens_are_told_by_country_from_sqlite() {
    Box::pin(listens_are_told_by_country(Backend::Embedded)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn listens_are_told_by_country_from_postgres() {
    Box::pin(listens_are_told_by_country(Backend::Distributed)).await;
}

#[test]
fn a_node_does_not_start_without_its_database_of_countries() {
    let data = tempfile::tempdir().unwrap();
    let mut program = Program::new(binary(), data.path());
    let path = data.path().join("countries.mmdb");
    program.set("TONEARM_USAGE_COUNTRY_DATABASE", path.to_str().unwrap());
    let whole = country_database(&[("203.0.113.0/24", "DE")]);
    for file in [None, Some(&b""[..]), Some(b"DE,203.0.113.0/24"), Some(&whole[..whole.len() - 1])] {
        if let Some(bytes) = file {
            std::fs::write(&path, bytes).unwrap();
        }
        let refused = program.run(&["serve", "--listen", "127.0.0.1:0"]);
        let message = String::from_utf8(refused.stderr).unwrap();
        assert_eq!(refused.status.code(), Some(1), "{message}");
        let last = message.lines().last().unwrap();
        assert!(last.starts_with("tonearm: usage.country_database: cannot use "), "{message}");
    }
}
