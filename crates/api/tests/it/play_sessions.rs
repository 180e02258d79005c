//! Interface 2.3, 2.4 and 4.1.

use http::Method;
use serde_json::{Value, json};
use tonearm_api::ApiSettings;
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;
use crate::reply::{Reply, keys, names};

const LISTED: &str =
    "id index duration order player_title player_subtitle player_color player_color_light player_color_dark";
const PLAYED: &str = "id index duration order player_title player_subtitle player_color player_color_light
    player_color_dark theme file_name info organization_index metadata is_dark";

on_both!(
    a_session_plays_a_collection,
    playback_data_is_complete,
    a_session_lists_the_variants_asked_for,
    a_session_without_a_playable_track_has_none,
    scopes_need_their_ids,
    lifetimes_have_bounds,
    a_session_expires,
    downloads_take_key_and_request,
    a_session_plays_no_other_track,
    a_session_is_read_with_a_key,
    a_session_may_be_opened_to_its_holder,
);

async fn collection_session(house: &House, fields: Value) -> Reply {
    let mut body = json!({ "collection_id": house.collection_id });
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    house.post("/v1/play_session/collection", body).await
}

async fn a_session_plays_a_collection(database: TestDatabase) {
    let house = House::open(database).await;
    let first = house.ready_track("a.wav").await;
    let second = house.ready_track("b.wav").await;
    house.create_track("waiting.wav").await;
    let granted = collection_session(&house, json!({})).await.expect_ok();
    assert_eq!(
        granted.keys(""),
        names("ok api_request_id play_session_id play_session tracks first_track expires_at")
    );
    assert_eq!(
        granted.keys("/play_session"),
        names("id creator_id variants organization_index metadata is_downloadable expires_at")
    );
    assert_eq!(granted.json["expires_at"], "2030-01-01T01:00:00.000Z");
    assert_eq!(granted.json["play_session"]["expires_at"], granted.json["expires_at"]);
    assert_eq!(granted.json["play_session"]["variants"], json!(["hq", "lq", "preview"]));
    let ids: Vec<&str> = granted.json["tracks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|track| track["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, [first.as_str(), &second]);
    assert_eq!(granted.keys("/tracks/0"), names(LISTED));
    assert_eq!(granted.keys("/first_track"), names("track_id cover_image track levels variants"));
    assert_eq!(granted.json["first_track"]["track_id"], *first);

    let id = granted.json["play_session_id"].as_str().unwrap();
    let read = house.get(&format!("/v1/play_session/{id}")).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id play_session_id play_session tracks first_track"));
    assert_eq!(read.keys("/first_track"), names("track_id cover_image track levels variants"));

    let track = house.get_open(&format!("/v1/play/{id}/{second}")).await.expect_ok();
    assert_eq!(
        track.keys(""),
        names("ok api_request_id play_session_id track_id play_session cover_image track levels variants")
    );
    assert_eq!(track.keys("/play_session"), names("id variants is_downloadable expires_at"));
    assert_eq!(track.json["track"]["id"], *second);
}

async fn playback_data_is_complete(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let granted = house.post("/v1/play_session/track", json!({ "track_id": track })).await.expect_ok();
    let first = &granted.json["first_track"];
    assert_eq!(keys(&first["track"]), names(PLAYED));
    assert_eq!(keys(&first["cover_image"]), names("icon small regular"));
    for (size, side) in [("icon", 80), ("small", 200), ("regular", 400)] {
        let image = &first["cover_image"][size];
        assert_eq!(keys(image), names("type width height url"));
        assert_eq!(
            (&image["type"], &image["width"], &image["height"]),
            (&json!(size), &json!(side), &json!(side))
        );
        assert!(image["url"].as_str().unwrap().contains("verify="));
    }
    assert_eq!(keys(&first["levels"]), names("levels num_samples metric min max avg resample"));
    assert_eq!(first["levels"]["levels"].as_array().unwrap().len(), 320);
    let variants = first["variants"].as_array().unwrap();
    let indexes: Vec<&str> = variants.iter().map(|v| v["variant"]["index"].as_str().unwrap()).collect();
    assert_eq!(indexes, ["hq", "lq", "preview"]);
    for variant in variants {
        assert_eq!(
            keys(variant),
            names("id path url size content_type file_name is_public props data variant")
        );
        assert_eq!(keys(&variant["variant"]), names("id index name type format variant_type"));
        assert_eq!(keys(&variant["variant"]["variant_type"]), names("id viewer_id title"));
        assert_eq!(keys(&variant["props"]), names("codec bitrate is_stereo is_strip_tags is_strip_cover"));
        assert_eq!(variant["is_public"], false);
        // Interface 4.4: the host is the organization's, and the path is the file's.
        let url = variant["url"].as_str().unwrap();
        let path = variant["path"].as_str().unwrap();
        assert!(url.starts_with(&format!(
            "https://{}.cdn.example.com/{path}?ttl=3600&verify=",
            house.organization_id
        )));
    }
    assert_eq!(variants[0]["data"], Value::Null);
    assert_eq!(variants[0]["file_name"], "Song.mp3");
    let preview = &variants[2]["data"];
    assert_eq!(keys(preview), names("duration capture_start capture_end extension content_type"));
    assert_eq!((&preview["extension"], &preview["content_type"]), (&json!("mp3"), &json!("audio/mpeg")));
}

async fn a_session_lists_the_variants_asked_for(database: TestDatabase) {
    let house = House::open(database).await;
    house.ready_track("Song.wav").await;
    let listed = async |variants: Value| {
        let granted = collection_session(&house, json!({ "variants": variants })).await.expect_ok();
        let files = granted.json["first_track"]["variants"].as_array().unwrap().clone();
        let files: Vec<String> =
            files.iter().map(|v| v["variant"]["index"].as_str().unwrap().to_owned()).collect();
        assert_eq!(granted.json["play_session"]["variants"], json!(files));
        files
    };
    // The variants that the session requested, without those that do not exist; the original only if it is named.
    assert_eq!(listed(json!(["lq", "hq"])).await, ["lq", "hq"]);
    assert_eq!(listed(json!(["nothing", "original"])).await, ["original"]);
    assert_eq!(listed(json!([])).await, ["hq", "lq", "preview"]);
    // If none of the requested variants remains, the response lists what the key allows.
    assert_eq!(listed(json!(["nothing"])).await, ["hq", "lq", "preview"]);
    collection_session(&house, json!({ "variants": "hq" })).await.expect_field("variants");
    collection_session(&house, json!({ "variants": [7] })).await.expect_field("variants[0]");
}

async fn a_session_without_a_playable_track_has_none(database: TestDatabase) {
    let house = House::open(database).await;
    house.create_track("waiting.wav").await;
    let granted = collection_session(&house, json!({})).await.expect_ok();
    assert_eq!((&granted.json["tracks"], &granted.json["first_track"]), (&json!([]), &Value::Null));
}

async fn scopes_need_their_ids(database: TestDatabase) {
    let house = House::open(database).await;
    // Interface 7: `playlist` is reserved.
    let body = json!({ "collection_id": house.collection_id });
    house.post("/v1/play_session/playlist", body.clone()).await.expect_field("scope");
    house.post("/v1/play_session/album", body.clone()).await.expect_field("scope");
    // The URL of a session accepts no POST, and that of a scope no GET.
    let session = collection_session(&house, json!({})).await.expect_ok().json["play_session_id"].clone();
    let session = format!("/v1/play_session/{}", session.as_str().unwrap());
    let refused = house.post(&session, body.clone()).await.expect_error(405, "method_not_allowed");
    assert_eq!(refused.header("allow"), Some("GET,HEAD,DELETE"));
    let refused = house.get("/v1/play_session/collection").await.expect_error(405, "method_not_allowed");
    assert_eq!(refused.header("allow"), Some("POST"));
    house.post("/v1/play_session/collection", Value::Null).await.expect_field("collection_id");
    house.post("/v1/play_session/track", body).await.expect_field("track_id");
    let collection: tonearm_domain::CollectionId = house.ambient.record_id();
    let body = json!({ "collection_id": collection });
    house.post("/v1/play_session/collection", body).await.expect_error(404, "collection_not_found");
    let track: tonearm_domain::TrackId = house.ambient.record_id();
    house
        .post("/v1/play_session/track", json!({ "track_id": track }))
        .await
        .expect_error(404, "track_not_found");
    let neighbour = house.neighbour().await;
    let body = json!({ "collection_id": house.collection_id });
    let reply = house.call_as(&neighbour, Method::POST, "/v1/play_session/collection", body).await;
    reply.expect_error(404, "collection_not_found");
}

async fn lifetimes_have_bounds(database: TestDatabase) {
    let house = House::open(database).await;
    // Interface 8: 60 to 86400 seconds, default: 3600.
    for (expires_in, expires_at) in [
        (json!(60), "2030-01-01T00:01:00.000Z"),
        (json!(86_400), "2030-01-02T00:00:00.000Z"),
        (json!(90.5), "2030-01-01T00:01:30.000Z"),
        (Value::Null, "2030-01-01T01:00:00.000Z"),
    ] {
        let granted = collection_session(&house, json!({ "expires_in": expires_in })).await.expect_ok();
        assert_eq!(granted.json["expires_at"], expires_at);
    }
    for bad in [json!(59), json!(86_401), json!(-1), json!("60")] {
        collection_session(&house, json!({ "expires_in": bad })).await.expect_field("expires_in");
    }
}

async fn a_session_expires(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let body = json!({ "expires_in": 60, "is_downloadable": true });
    let granted = collection_session(&house, body).await.expect_ok();
    let id = granted.json["play_session_id"].as_str().unwrap();
    house.clock.advance_seconds(59);
    house.get_open(&format!("/v1/play/{id}/{track}")).await.expect_ok();
    house.clock.advance_seconds(1);
    let expired = "invalid_play_session";
    let reply = house.get_open(&format!("/v1/play/{id}/{track}")).await.expect_error(401, expired);
    // The credential is the session, so the response does not request a key.
    assert_eq!(reply.header("www-authenticate"), None);
    house.get_open(&format!("/v1/play/{id}/{track}/hq/download")).await.expect_error(401, expired);
    house.get(&format!("/v1/play_session/{id}")).await.expect_error(401, expired);
    let unknown = house.ambient.credential_id::<tonearm_domain::PlaySessionId>();
    house.get_open(&format!("/v1/play/{unknown}/{track}")).await.expect_error(401, expired);
}

async fn downloads_take_key_and_request(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Söng.wav").await;
    // Interface 4.1: the stored value is key AND request; a key that forbids downloads always wins.
    for (key_allows, asked, stored) in [(true, true, true), (true, false, false), (false, true, false)] {
        let key = CreateKey { is_downloadable: key_allows, ..CreateKey::new(KeyType::Player, "Player") };
        let key = house.key(key).await;
        let body = json!({ "track_id": track, "is_downloadable": asked, "variants": ["hq", "original"] });
        let granted = house.call_as(&key, Method::POST, "/v1/play_session/track", body).await.expect_ok();
        assert_eq!(granted.json["play_session"]["is_downloadable"], stored);
        let id = granted.json["play_session_id"].as_str().unwrap();
        let download = house.get_open(&format!("/v1/play/{id}/{track}/hq/download")).await;
        if !stored {
            download.expect_error(403, "downloads_not_allowed");
            continue;
        }
        let download = download.expect_ok();
        assert_eq!(
            download.keys(""),
            names("ok api_request_id play_session_id track_id download expires_at")
        );
        assert_eq!(download.keys("/download"), names("variant url expires_at"));
        let url = download.json["download"]["url"].as_str().unwrap();
        let origin = format!("https://{}.cdn.example.com", house.organization_id);
        let (path, query) = url.strip_prefix(&origin).unwrap().split_once('?').unwrap();
        let verify = || house.signer.verify_delivery(path, Some(query), house.ambient.now());
        assert_eq!(verify().unwrap().attachment.as_deref(), Some("Söng (hq).mp3"));
        assert_eq!(verify().unwrap().expires_at.to_string(), download.json["expires_at"]);
        assert_eq!(download.json["download"]["expires_at"], download.json["expires_at"]);
        house.clock.advance_seconds(29);
        assert!(verify().is_ok());
        house.clock.advance_seconds(1);
        assert!(verify().is_err());
        // Variants that the session does not list cannot be downloaded.
        for variant in ["lq", "nothing", "%2e%2e"] {
            let path = format!("/v1/play/{id}/{track}/{variant}/download");
            house.get_open(&path).await.expect_error(404, "variant_not_found");
        }
        house.get_open(&format!("/v1/play/{id}/{track}/original/download")).await.expect_ok();
    }
}

async fn a_session_plays_no_other_track(database: TestDatabase) {
    let house = House::open(database).await;
    let own = house.ready_track("a.wav").await;
    let other = house.ready_track("b.wav").await;
    let waiting = house.create_track("c.wav").await["track_id"].as_str().unwrap().to_owned();
    let granted = house.post("/v1/play_session/track", json!({ "track_id": own })).await.expect_ok();
    assert_eq!(granted.json["tracks"].as_array().unwrap().len(), 1);
    let id = granted.json["play_session_id"].as_str().unwrap();
    house.get_open(&format!("/v1/play/{id}/{own}")).await.expect_ok();
    house.get_open(&format!("/v1/play/{id}/{other}")).await.expect_error(404, "track_not_found");
    let granted = collection_session(&house, json!({})).await.expect_ok();
    let id = granted.json["play_session_id"].as_str().unwrap();
    house.get_open(&format!("/v1/play/{id}/{other}")).await.expect_ok();
    house.get_open(&format!("/v1/play/{id}/{waiting}")).await.expect_error(404, "track_not_found");
}

async fn a_session_is_read_with_a_key(database: TestDatabase) {
    let house = House::open(database).await;
    let granted = collection_session(&house, json!({})).await.expect_ok();
    let path = format!("/v1/play_session/{}", granted.json["play_session_id"].as_str().unwrap());
    house.get_open(&path).await.expect_error(401, "missing_api_key");
    let player = house.key_of_type(KeyType::Player).await;
    house.call_as(&player, Method::GET, &path, Value::Null).await.expect_ok();
    for key in [house.neighbour().await, {
        let other = house.create_collection("Other").await;
        house.key_to_collection(&other).await
    }] {
        let reply = house.call_as(&key, Method::GET, &path, Value::Null).await;
        reply.expect_error(404, "play_session_not_found");
    }
    let unknown = house.ambient.credential_id::<tonearm_domain::PlaySessionId>();
    house.get(&format!("/v1/play_session/{unknown}")).await.expect_error(404, "play_session_not_found");
}

async fn a_session_may_be_opened_to_its_holder(database: TestDatabase) {
    let settings = ApiSettings { public_play_sessions: true, ..ApiSettings::default() };
    let house = House::open(database).await.with(settings);
    let granted = collection_session(&house, json!({ "expires_in": 60 })).await.expect_ok();
    let path = format!("/v1/play_session/{}", granted.json["play_session_id"].as_str().unwrap());
    house.get_open(&path).await.expect_ok();
    // If a request carries a key, the key must be valid.
    house.call_as("nonsense", Method::GET, &path, Value::Null).await.expect_error(401, "invalid_api_key");
    house.clock.advance_seconds(60);
    house.get_open(&path).await.expect_error(401, "invalid_play_session");
}
