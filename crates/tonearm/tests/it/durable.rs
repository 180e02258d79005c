//! A path that was stored when a track was created delivers the latest rendering, on every kind of node.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};
use tonearm::Role;
use tonearm_domain::{Clock as _, Patch, RecipeKind};
use tonearm_fixtures::EVENTUALLY;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::{Caller, UpdateRecipe};
use tonearm_testkit::{Answer, Backend, Client, TestServer};

use crate::usage::sign;
use crate::{on_both_backends, text};

on_both_backends!(a_stored_path_follows_the_files, a_deleted_track_is_gone_under_every_name);

/// What an integrator stores about a track, and what it needs to sign URLs.
struct Stored {
    base_path: String,
    key_id: String,
    secret: String,
}

impl Stored {
    fn path(&self, server: &TestServer, file: &str) -> String {
        let path = format!("{}_{file}", self.base_path);
        sign(&self.key_id, &self.secret, &path, server.clock.now().unix_seconds())
    }

    /// Requests a file from a node until `is_right`, with the clock a second later each time.
    async fn until(
        &self,
        server: &TestServer,
        node: &str,
        file: &str,
        is_right: impl Fn(&Answer) -> bool,
    ) -> Answer {
        let client = server.client.without_key();
        let begun = Instant::now();
        loop {
            let answer = client.get(&format!("{node}{}", self.path(server, file))).await;
            if is_right(&answer) {
                return answer;
            }
            assert!(begun.elapsed() < EVENTUALLY, "{file} on {node}: {answer:?}");
            server.clock.advance_seconds(1);
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

async fn created(server: &TestServer) -> (String, Value, Stored) {
    let client = &server.client;
    let collection = client.collection("Stored").await;
    let created = client.track(&collection, "song.wav").await;
    let (ambient, _) = tonearm_fixtures::ambient();
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let keys = server.node.services().unwrap().signing_keys(&ambient);
    let key = keys.create(&caller, "backend").await.unwrap();
    let stored = Stored {
        base_path: text(&created, "/track/base_path").to_owned(),
        key_id: key.key.id.to_string(),
        secret: key.secret,
    };
    (collection, created, stored)
}

async fn put(client: &Client, created: &Value) -> Bytes {
    let sound = Bytes::from(wav(&WavSpec { seconds: 1.0, ..WavSpec::default() }));
    let put = client.request(reqwest::Method::PUT, text(created, "/track_upload/upload_url"));
    client.send(put.body(sound.clone())).await.ok();
    assert_eq!(client.settled(text(created, "/track_id")).await["track_status_id"], "ready");
    sound
}

async fn edge_of(server: &TestServer) -> tonearm::Node {
    let configure = |config: &mut tonearm::Config| {
        config.roles = vec![Role::Edge];
        config.key_refresh_interval = Duration::from_millis(50);
    };
    server.another_node_with(configure).await
}

async fn a_stored_path_follows_the_files(server: TestServer) {
    let client = &server.client;
    let (collection, created, stored) = created(&server).await;
    let id = text(&created, "/track_id");
    let base_url = format!("{}/{}", server.node.public_url(), stored.base_path);
    assert_eq!(text(&created, "/track/base_url"), base_url);
    let edge = edge_of(&server).await;
    let nodes = [server.node.public_url(), edge.public_url()];
    for node in nodes {
        stored.until(&server, node, "original.wav", |answer| answer.status == 404).await;
    }
    let sound = put(client, &created).await;
    for node in nodes {
        let original = stored.until(&server, node, "original.wav", |answer| answer.status == 200).await;
        assert!(original.bytes == sound);
        stored.until(&server, node, "original.mp3", |answer| answer.status == 404).await;
        stored.until(&server, node, "nothing.mp3", |answer| answer.status == 404).await;
    }

    // The same object as in a play session, under a name that may later stand for another object.
    let session =
        client.post("/v1/play_session/track", &json!({"track_id": id, "variants": ["hq"]})).await.ok();
    let object = client.get(text(&session, "/first_track/variants/0/url")).await;
    let mut etags = Vec::new();
    for node in nodes {
        let answer = stored.until(&server, node, "hq.mp3", |answer| answer.status == 200).await;
        assert!(answer.bytes == object.bytes);
        assert_eq!(answer.header("etag"), object.header("etag"));
        assert_eq!(answer.header("cache-control"), "private, max-age=60");
        etags.push(answer.header("etag").to_owned());
    }

    let library = &server.node.services().unwrap().library;
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let recipes = library.recipes(&caller).await.unwrap();
    let hq = recipes.into_iter().find(|view| view.recipe.index.as_str() == "hq").unwrap().recipe;
    let RecipeKind::Transcode(mut transcode) = hq.kind else { panic!("hq is sound") };
    transcode.bitrate = 64;
    let update =
        UpdateRecipe { kind: Patch::Set(RecipeKind::Transcode(transcode)), ..UpdateRecipe::default() };
    library.update_recipe(&caller, hq.id, update).await.unwrap();
    library.render_existing(&caller, hq.id).await.unwrap();
    for (node, before) in nodes.into_iter().zip(&etags) {
        // The clock is far ahead of the node's lookup of signing keys, so the keys may be unknown for a moment.
        let is_another = |answer: &Answer| answer.status != 503 && answer.header("etag") != before;
        let answer = stored.until(&server, node, "hq.mp3", is_another).await;
        assert_eq!(answer.status, 200, "{node}: {answer:?}");
        assert!(answer.bytes.len() < object.bytes.len());
    }

    for answer in [
        client.get(&format!("/v1/track/{id}")).await.ok(),
        client.put(&format!("/v1/track/{id}"), &json!({"player_title": "Renamed"})).await.ok(),
    ] {
        assert_eq!(text(&answer, "/track/base_path"), stored.base_path);
        assert_eq!(text(&answer, "/track/base_url"), base_url);
    }
    let listed = client.get(&format!("/v1/collection/{collection}/track")).await.ok();
    assert_eq!(text(&listed, "/tracks/0/base_url"), base_url);
    edge.stop().await;
    server.node.stop().await;
}

async fn a_deleted_track_is_gone_under_every_name(server: TestServer) {
    let (_, created, stored) = created(&server).await;
    put(&server.client, &created).await;
    let edge = edge_of(&server).await;
    let nodes = [server.node.public_url(), edge.public_url()];
    for node in nodes {
        stored.until(&server, node, "hq.mp3", |answer| answer.status == 200).await;
    }
    let id = text(&created, "/track_id");
    let deleted = server.client.delete(&format!("/v1/track/{id}")).await.ok();
    assert_eq!(deleted["deleted_track"]["base_path"], Value::Null);
    for node in nodes {
        stored.until(&server, node, "hq.mp3", |answer| answer.status == 404).await;
    }
    edge.stop().await;
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_is_on_the_host_of_its_organization() {
    let variables = [("TONEARM_DELIVERY_URL", "https://{org}.audio.example.com")];
    let server = TestServer::start_with(Backend::Embedded, &variables).await;
    let collection = server.client.collection("Stored").await;
    let created = server.client.track(&collection, "song.wav").await;
    let organization = &server.organization_id;
    let path = text(&created, "/track/base_path");
    assert!(path.starts_with(&format!("{organization}/")), "{path}");
    assert_eq!(text(&created, "/track/base_url"), format!("https://{organization}.audio.example.com/{path}"));

    // An upload session returns the same.
    let session = json!({"collection_id": collection, "track": {"file_name": "other.wav"}});
    let session = server.client.post("/v1/upload_session", &session).await.ok();
    let path = text(&session, "/track/base_path");
    assert!(path.starts_with(text(&session, "/track/path")), "{path}");
    assert_eq!(text(&session, "/track/base_url"), format!("https://{organization}.audio.example.com/{path}"));
    server.node.stop().await;
}
