//! Public pages of share links, as seen by a browser without JavaScript and by pages of other sites.

use std::io::Read;

use reqwest::Method;
use serde_json::{Value, json};
use tonearm_domain::{FileOutcome, Track, TrackFile};
use tonearm_fixtures::audio::{WavSpec, wav, write_wav};
use tonearm_testkit::{Answer, Backend, Client, TestServer};

use crate::text;

/// A node with one ready track, and share keys to it.
struct Shared {
    server: TestServer,
    client: Client,
    collection: String,
    track: String,
}

impl Shared {
    async fn start(file_name: &str) -> Self {
        let server = TestServer::start(Backend::Embedded).await;
        let client = server.client.clone();
        let collection = client.collection("Songs <for> the tide").await;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(file_name);
        write_wav(&WavSpec { seconds: 2.0, ..WavSpec::default() }, &path).unwrap();
        let track = client.upload_file(&collection, &path).await;
        client.settled(&track).await;
        Self { server, client, collection, track }
    }

    async fn key(&self, more: Value) -> String {
        let mut body = json!({"title": "share", "api_key_type_id": "share", "variants": ["hq"]});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        text(&self.client.post("/v1/api_key", &body).await.ok(), "/api_key").to_owned()
    }

    /// Sends a request without any credential except the address.
    async fn get(&self, path: &str) -> Answer {
        self.client.without_key().get(path).await
    }
}

fn page(answer: Answer) -> String {
    assert_eq!(answer.status, 200);
    String::from_utf8(answer.bytes.to_vec()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_share_link_has_a_page_that_works_without_scripts() {
    let shared = Shared::start("Harbour & lights.wav").await;
    let key = shared.key(json!({})).await;
    let path = format!("{}/{key}", shared.track);

    let answer = shared.get(&format!("/share/{path}")).await;
    let policy = answer.header("content-security-policy").to_owned();
    assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(answer.header("cache-control"), "no-store");
    let html = page(answer);
    assert!(html.contains("<h1><bdi>Harbour &#38; lights</bdi></h1>"), "{html}");
    assert!(html.contains(&format!("<audio controls preload=\"none\" src=\"/v1/stream/{path}\">")), "{html}");
    assert!(html.contains("property=\"og:title\""), "{html}");
    assert!(html.contains("<img src=\"http") && html.contains("property=\"og:image\""), "{html}");
    assert!(html.len() < 100_000);
    assert_eq!(shared.get(&format!("/v1/stream/{path}")).await.status, 302);
    let cover = shared.get(&format!("/share/{path}/cover")).await;
    assert_eq!(cover.status, 302);
    assert_eq!(shared.get(cover.header("location")).await.header("content-type"), "image/jpeg");
    // Pages that are cross-origin isolated embed nothing else.
    for embedded in
        [format!("/v1/stream/{path}"), format!("/share/{path}/cover"), "/embed/player.css".to_owned()]
    {
        assert_eq!(
            shared.get(&embedded).await.header("cross-origin-resource-policy"),
            "cross-origin",
            "{embedded}"
        );
    }

    let framed = shared.get(&format!("/embed/{path}")).await;
    assert!(!framed.header("content-security-policy").contains("frame-ancestors"));
    assert_eq!(framed.header("cross-origin-embedder-policy"), "require-corp");
    assert_eq!(framed.header("cross-origin-resource-policy"), "cross-origin");
    page(framed);
    let data = shared.get(&format!("/embed/{path}/player.json")).await;
    assert_eq!(data.header("access-control-allow-origin"), "*");
    let data = data.ok();
    assert_eq!(text(&data, "/track/title"), "Harbour & lights");
    assert_eq!(text(&data, "/track/sources/0/url"), format!("/v1/stream/{path}"));
    assert_eq!(data["track"]["levels"]["levels"].as_array().unwrap().len(), 320);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_key_does_not_open_is_always_the_same_page() {
    let shared = Shared::start("one.wav").await;
    let elsewhere = shared.client.collection("Elsewhere").await;
    let key = shared.key(json!({})).await;
    let foreign = shared.key(json!({"collection_id": elsewhere})).await;
    let expiring = shared.key(json!({"expires_at": "2030-01-01T00:01:00Z"})).await;
    assert_eq!(shared.get(&format!("/share/{}/{expiring}", shared.track)).await.status, 200);
    shared.server.clock.advance_seconds(61);

    let api_key = shared.client.key().to_owned();
    let track = &shared.track;
    let nothing = "01890000-0000-7000-8000-000000000000";
    let mut bodies = std::collections::HashSet::new();
    for path in [
        format!("{track}/{foreign}"),
        format!("{track}/{expiring}"),
        format!("{track}/{api_key}"),
        format!("{track}/nothing"),
        format!("{nothing}/{key}"),
        format!("nothing/{key}"),
        // A key for the whole organization does not open a list.
        key.clone(),
    ] {
        let answer = shared.get(&format!("/share/{path}")).await;
        assert_eq!(answer.status, 404, "{path}");
        bodies.insert(answer.bytes);
        assert_eq!(shared.get(&format!("/embed/{path}")).await.status, 404, "{path}");
        let refused = shared.get(&format!("/embed/{path}/player.json")).await;
        assert_eq!((refused.status.as_u16(), &refused.json()["code"]), (404, &json!("not_found")), "{path}");
    }
    assert_eq!(bodies.len(), 1, "the pages differ");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_a_collection_opens_its_list() {
    let shared = Shared::start("one.wav").await;
    // Not ready, so not in the list.
    shared.client.track(&shared.collection, "two.wav").await;
    let key = shared.key(json!({"collection_id": shared.collection})).await;
    let html = page(shared.get(&format!("/share/{key}")).await);
    assert!(html.contains("<h1><bdi>Songs &#60;for&#62; the tide</bdi></h1>"), "{html}");
    assert!(html.contains(&format!("href=\"/share/{}/{key}\"", shared.track)), "{html}");
    let data = shared.get(&format!("/embed/{key}/player.json")).await.ok();
    assert_eq!(data["tracks"].as_array().unwrap().len(), 1);
    assert_eq!(text(&data, "/track/id"), shared.track);

    let only = shared.key(json!({"collection_id": shared.collection, "track_id": shared.track})).await;
    page(shared.get(&format!("/share/{only}")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_a_collection_is_paginated() {
    let shared = Shared::start("one.wav").await;
    let second = shared.client.upload(&shared.collection, "two.wav", wav(&WavSpec::default())).await;
    shared.client.settled(&second).await;
    let key = shared.key(json!({"collection_id": shared.collection})).await;
    let first = page(shared.get(&format!("/share/{key}")).await);
    assert!(first.contains("2 tracks") && !first.contains("Pages of tracks"), "{first}");

    let after = format!("?after={}", shared.track);
    let html = page(shared.get(&format!("/share/{key}{after}")).await);
    assert!(html.contains("1 more track<"), "{html}");
    assert!(html.contains(&format!("src=\"/embed/{key}/player.json{after}\"")), "{html}");
    assert!(html.contains(&format!("<a href=\"/share/{key}\">First tracks</a>")), "{html}");
    let framed = page(shared.get(&format!("/embed/{key}{after}")).await);
    assert!(framed.contains("First tracks") && framed.contains(&second), "{framed}");

    let data = shared.get(&format!("/embed/{key}/player.json{after}")).await.ok();
    assert_eq!(data["tracks"].as_array().unwrap().len(), 1);
    assert_eq!((text(&data, "/track/id"), &data["next"]), (second.as_str(), &json!(null)));
    let list = shared.get(&format!("/embed/{key}/player.json{after}&is_list=true")).await.ok();
    assert_eq!((text(&list, "/tracks/0/id"), &list["track"]), (second.as_str(), &json!(null)));

    // A value that is not an id returns the first page.
    let odd = shared.get(&format!("/embed/{key}/player.json?after=%27")).await.ok();
    assert_eq!(odd["tracks"].as_array().unwrap().len(), 2);
}

impl Shared {
    /// Adds tracks with the files of the existing track, under names of their own. Nothing is stored under these names.
    async fn add_like_it(&self, count: usize) {
        let catalog = &self.server.node.services().unwrap().catalog;
        let (organization_id, id) =
            (self.server.organization_id.parse().unwrap(), self.track.parse().unwrap());
        let track = catalog.track(organization_id, id).await.unwrap().unwrap();
        let files = catalog.files_of_track(id).await.unwrap();
        let (ambient, _) = tonearm_fixtures::ambient();
        let tx = catalog.begin().await.unwrap();
        for number in 0..count {
            let (id, index) = (ambient.record_id(), ambient.short_id());
            let file_name = format!("{number}.wav");
            let like_it = Track { id, index, file_name, organization_index: None, ..track.clone() };
            tx.insert_track(&like_it).await.unwrap();
            for file in &files {
                let mut file = TrackFile { id: ambient.record_id(), track_id: id, ..file.clone() };
                if let FileOutcome::Made { key, .. } = &mut file.outcome {
                    key.folder = index;
                }
                tx.put_track_file(&file).await.unwrap();
            }
        }
        tx.commit().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_more_than_a_thousand_tracks_comes_in_compressed_pages() {
    let shared = Shared::start("one.wav").await;
    shared.add_like_it(1001).await;
    let key = shared.key(json!({"collection_id": shared.collection})).await;
    let (mut path, mut names) = (format!("/embed/{key}/player.json"), Vec::new());
    let mut lengths = Vec::new();
    loop {
        let plain = shared.get(&path).await;
        let anybody = shared.client.without_key();
        let asked = anybody.request(Method::GET, &path).header("accept-encoding", "gzip");
        let compressed = anybody.send(asked).await;
        assert_eq!(compressed.header("content-encoding"), "gzip", "{path}");
        let is_much = plain.bytes.len() > 10_000;
        assert!(!is_much || compressed.bytes.len() * 4 < plain.bytes.len(), "{}", compressed.bytes.len());
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&compressed.bytes[..]).read_to_end(&mut text).unwrap();
        assert_eq!(text, plain.bytes, "{path}");
        let data = plain.ok();
        // The first page has the first track ready to play.
        assert_eq!(data["track"].is_null(), !lengths.is_empty(), "{path}");
        let tracks = data["tracks"].as_array().unwrap();
        lengths.push(tracks.len());
        names.extend(tracks.iter().map(|track| track["title"].as_str().unwrap().to_owned()));
        match data["next"].as_str() {
            Some(next) => next.clone_into(&mut path),
            None => break,
        }
    }
    assert_eq!(lengths, [1000, 2]);
    let expected = (0..1001).map(|number| number.to_string());
    assert!(names.into_iter().eq(["one".to_owned()].into_iter().chain(expected)), "each once, in its order");
    let html = page(shared.get(&format!("/share/{key}")).await);
    assert!(html.contains(">Next tracks</a>"), "{}", &html[..2000]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_player_is_kept_by_its_version_and_found_by_its_name() {
    let shared = Shared::start("one.wav").await;
    let key = shared.key(json!({})).await;
    let html = page(shared.get(&format!("/share/{}/{key}", shared.track)).await);
    let address = html.split('"').find(|text| text.ends_with("/player.js")).unwrap();
    let versioned = shared.get(address).await;
    assert_eq!(versioned.header("cache-control"), "public, max-age=31536000, immutable");
    let versioned = page(versioned);
    assert!(versioned.contains("customElements.define(\"tonearm-player\""));

    let stable = shared.get("/embed/player.js").await;
    assert_eq!(stable.header("access-control-allow-origin"), "*");
    assert_eq!(stable.header("cache-control"), "public, max-age=300");
    assert_eq!(page(stable), versioned);

    // A page that a node of another version rendered.
    let other = shared.get("/embed/assets/0123456789abcdef/player.js").await;
    assert_eq!(other.header("cache-control"), "no-store");
    assert_eq!(page(other), versioned);
}

/// Requests for anonymous pages are limited per address like the API, but separately.
#[tokio::test(flavor = "multi_thread")]
async fn pages_are_limited_for_each_address() {
    let settings =
        [("TONEARM_TRUSTED_PROXIES", "127.0.0.1"), ("TONEARM_LIMITS_REQUESTS_PER_MINUTE_PER_ADDRESS", "3")];
    let server = Box::pin(TestServer::start_with(Backend::Embedded, &settings)).await;
    let client = server.client.without_key();
    let from = async |address: &str, path: &str| {
        let request = client.request(Method::GET, path).header("x-forwarded-for", address);
        client.send(request).await
    };
    for path in ["/share/nothing", "/embed/nothing/player.json", "/dashboard"] {
        assert_ne!(from("203.0.113.9", path).await.status, 429, "{path}");
    }
    let refused = from("203.0.113.9", "/share/nothing").await;
    assert_eq!(refused.status, 429);
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u64>().unwrap()));
    assert_ne!(from("203.0.113.10", "/share/nothing").await.status, 429, "another address");
    assert_ne!(from("203.0.113.9", "/v1/track").await.status, 429, "the API has a limit of its own");
    server.node.stop().await;
}
