//! The life cycle of a track: from an upload to a stream.

use serde_json::{Value, json};
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_testkit::TestServer;

use crate::{on_both_backends, text, until_done};

on_both_backends!(from_upload_to_stream, through_an_upload_session, share_link, deletion_removes_the_objects);

fn song() -> Vec<u8> {
    wav(&WavSpec { seconds: 8.0, ..WavSpec::default() })
}

async fn from_upload_to_stream(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Songs").await;
    let bytes = song();
    let id = client.upload(&collection, "A Song.wav", bytes.clone()).await;
    let track = client.settled(&id).await;
    assert_eq!(track["track_status_id"], "ready", "{track}");
    assert!((track["duration"].as_f64().unwrap() - 8.0).abs() < 0.05, "{track}");
    assert_eq!(track["file_name"], "A Song.wav");
    assert_eq!(track["info"]["codec"], "pcm_s16le");
    assert_eq!(track["info"]["size"], bytes.len());

    let session = json!({"collection_id": collection, "is_downloadable": true});
    let session = client.post("/v1/play_session/collection", &session).await.ok();
    let first = &session["first_track"];
    assert_eq!(first["track_id"], id.as_str());
    assert_eq!(first["levels"]["levels"].as_array().unwrap().len(), 320);
    let indexes: Vec<&str> =
        first["variants"].as_array().unwrap().iter().map(|variant| text(variant, "/variant/index")).collect();
    assert_eq!(indexes, ["hq", "lq", "preview"]);
    for size in ["icon", "small", "regular"] {
        let cover = client.get(text(first, &format!("/cover_image/{size}/url"))).await;
        assert_eq!((cover.status.as_u16(), cover.header("content-type")), (200, "image/jpeg"));
    }
    for variant in first["variants"].as_array().unwrap() {
        plays(&server, variant).await;
    }

    let anyone = client.without_key();
    let session_id = text(&session, "/play_session_id");
    let again = anyone.get(&format!("/v1/play/{session_id}/{id}")).await.ok();
    assert_eq!(again["variants"].as_array().unwrap().len(), 3);
    let download = anyone.get(&format!("/v1/play/{session_id}/{id}/hq/download")).await.ok();
    let url = text(&download, "/download/url").to_owned();
    let saved = anyone.get(&url).await;
    assert!(saved.header("content-disposition").starts_with("attachment"), "{:?}", saved.headers);
    assert!(saved.header("content-disposition").contains("A Song.mp3"));
    server.clock.advance_seconds(31);
    assert_eq!(anyone.get(&url).await.status, 401);
}

/// A variant's URL delivers the whole file and parts of it, but nothing without its signature.
async fn plays(server: &TestServer, variant: &Value) {
    let anyone = server.client.without_key();
    let (url, size) = (text(variant, "/url"), variant["size"].as_u64().unwrap());
    let whole = anyone.get(url).await;
    assert_eq!((whole.status.as_u16(), whole.header("content-type")), (200, "audio/mpeg"));
    assert_eq!(whole.bytes.len() as u64, size);
    let part = anyone.get_range(url, "1000-1999").await;
    assert_eq!(part.status, 206);
    assert_eq!(part.header("content-range"), format!("bytes 1000-1999/{size}"));
    assert_eq!(part.bytes, whole.bytes.slice(1000..2000));
    let unsigned = url.split("verify=").next().unwrap();
    assert_eq!(anyone.get(unsigned).await.status, 401);
    assert_eq!(anyone.get(&format!("{url}x")).await.status, 401);
}

async fn through_an_upload_session(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Batch").await;
    let session = client.post("/v1/upload_session", &json!({"collection_id": collection})).await.ok();
    let session_id = text(&session, "/upload_session_id");
    let anyone = client.without_key();
    let mut ids = Vec::new();
    for name in ["one.wav", "two.wav"] {
        let path = format!("/v1/upload/{session_id}/track");
        let created = anyone.post(&path, &json!({"file_name": name, "file_size": 5})).await.ok();
        let put = anyone.request(reqwest::Method::PUT, text(&created, "/track_upload/upload_url"));
        anyone.send(put.body(wav(&WavSpec { seconds: 1.0, ..WavSpec::default() }))).await.ok();
        ids.push(text(&created, "/track_id").to_owned());
    }
    for id in &ids {
        assert_eq!(client.settled(id).await["track_status_id"], "ready");
    }
    let list = client.get(&format!("/v1/collection/{collection}/track")).await.ok();
    let listed: Vec<&str> = list["tracks"].as_array().unwrap().iter().map(|t| text(t, "/id")).collect();
    assert_eq!(listed, ids);
    server.clock.advance_seconds(3600);
    assert_eq!(anyone.get(&format!("/v1/upload_session/{session_id}")).await.status, 401);
}

async fn share_link(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Shared").await;
    let id = client.upload(&collection, "s.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let other = client.collection("Not shared").await;
    let key =
        json!({"title": "link", "api_key_type_id": "share", "variants": ["lq"], "collection_id": other});
    let elsewhere = client.post("/v1/api_key", &key).await.ok();
    let key = json!({"title": "link", "api_key_type_id": "share", "variants": ["lq"]});
    let everywhere = client.post("/v1/api_key", &key).await.ok();

    let anyone = client.without_key();
    let outside = anyone.get(&format!("/v1/stream/{id}/{}", text(&elsewhere, "/api_key"))).await;
    assert_eq!(outside.status, 404);
    let redirect = anyone.get(&format!("/v1/stream/{id}/{}", text(&everywhere, "/api_key"))).await;
    assert_eq!((redirect.status.as_u16(), redirect.header("cache-control")), (302, "no-store"));
    assert!(redirect.bytes.is_empty());
    let location = redirect.header("location").to_owned();
    assert!(location.contains("?verify="), "{location}");
    assert_eq!(anyone.get(&location).await.header("content-type"), "audio/mpeg");
    server.clock.advance_seconds(3601);
    assert_eq!(anyone.get(&location).await.status, 401);
}

async fn deletion_removes_the_objects(server: TestServer) {
    let client = &server.client;
    let collection = client.collection("Short-lived").await;
    let id = client.upload(&collection, "gone.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    let url = text(&session, "/first_track/variants/0/url").to_owned();
    assert_eq!(client.get(&url).await.status, 200);
    let deleted = client.delete(&format!("/v1/track/{id}")).await.ok();
    assert_eq!(deleted["deleted_track"]["id"], id.as_str());
    assert_eq!(client.get(&format!("/v1/track/{id}")).await.status, 404);
    // The purge is queued with the deletion. The worker is processing it.
    until_done(&server, "purge_track").await;
    assert_eq!(client.get(&url).await.status, 404);
}
