//! Interface 2.2 and 4.2.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

const DELETED: &str = "id organization_id collection_id index duration file_name order metadata player_title
    player_subtitle player_color player_color_light player_color_dark theme track_status_id";
const REDUCED: &str = "id organization_id collection_id index duration file_name order metadata player_title
    player_subtitle player_color player_color_light player_color_dark theme track_status_id transcription
    transcription_language base_path base_url";
const FULL: &str = "id organization_id collection_id index duration file_name order metadata player_title
    player_subtitle player_color player_color_light player_color_dark theme track_status_id transcription
    transcription_language creator_id file_name_original info organization_index is_cover_overridable is_theme_overridable
    shown_title shown_subtitle status_reason base_path base_url";

on_both!(
    a_track_is_created_with_upload_urls,
    creation_takes_every_field,
    a_file_is_imported_from_a_url,
    creation_needs_a_collection_and_a_file_name,
    a_track_is_read_in_full,
    lists_are_pages_of_all,
    updates_change_what_they_name,
    a_deleted_track_is_gone,
    a_key_sees_nothing_outside_its_scope,
    a_cover_url_can_be_renewed,
    numbers_come_back_with_their_digits,
);

async fn a_track_is_created_with_upload_urls(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "collection_id": house.collection_id, "file_name": "Song.wav", "file_size": 12 });
    let created = house.post("/v1/track", body).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id track_id track track_upload track_cover_upload"));
    assert_eq!(created.keys("/track"), names(REDUCED));
    assert_eq!(created.json["track_id"], created.json["track"]["id"]);
    assert_eq!(created.json["track"]["track_status_id"], "initialized");
    assert_eq!(created.json["track"]["duration"], 0.0);
    for (upload, method) in [("track_upload", "PUT"), ("track_cover_upload", "POST")] {
        let upload = &created.json[upload];
        assert_eq!(crate::reply::keys(upload), names("method upload_url ttl expires_at"));
        assert_eq!(upload["method"], method);
        // Interface 8: the ttl of upload URLs is 3600 seconds.
        assert_eq!(upload["ttl"], 3600);
        assert_eq!(upload["expires_at"], "2030-01-01T01:00:00.000Z");
    }
}

async fn creation_takes_every_field(database: TestDatabase) {
    let house = House::open(database).await;
    let creator = house.post("/v1/creator", json!({ "organization_index": "c" })).await.expect_ok();
    let body = json!({
        "collection_id": house.collection_id,
        "file_name": "../Song.wav",
        "creator_id": creator.json["creator_id"],
        "organization_index": "my-7",
        "metadata": { "a": [1, { "b": null }] },
        "is_cover_overridable": false,
        "is_theme_overridable": false,
        "player_title": "Title",
        "player_subtitle": "Subtitle",
        "player_color": "#0FF",
    });
    let created = house.post("/v1/track", body).await.expect_ok();
    let track = &created.json["track"];
    assert_eq!(track["metadata"], json!({ "a": [1, { "b": null }] }));
    assert_eq!((&track["player_title"], &track["player_subtitle"]), (&json!("Title"), &json!("Subtitle")));
    assert_eq!(track["file_name"], "Song.wav");
    // Interface 2.1: the resolved colour comes with its companions, which are readable on light and dark.
    assert_eq!(track["player_color"], "#00ffff");
    assert_eq!(track["player_color_dark"], "#00ffff");
    assert_ne!(track["player_color_light"], "#00ffff");
    let read =
        house.get(&format!("/v1/track/{}", created.json["track_id"].as_str().unwrap())).await.expect_ok();
    assert_eq!(read.json["track"]["creator_id"], creator.json["creator_id"]);
    assert_eq!(read.json["track"]["organization_index"], "my-7");
    assert_eq!(read.json["track"]["file_name_original"], "../Song.wav");
}

async fn a_file_is_imported_from_a_url(database: TestDatabase) {
    let house = House::open(database).await;
    let url = "https://files.example.com/My%20song.mp3?token=secret";
    let body = json!({ "collection_id": house.collection_id, "source_url": url });
    let created = house.post("/v1/track", body).await.expect_ok();
    assert_eq!(created.json["track"]["file_name"], "My song.mp3");
    assert_eq!(created.json["track"]["track_status_id"], "initialized");
    assert!(created.json["track_upload"]["upload_url"].is_string());
    let path = format!("/v1/track/{}", created.json["track_id"].as_str().unwrap());
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.json["track"]["status_reason"], "Importing the file from files.example.com.");
    assert!(!read.json.to_string().contains("secret"));
    let named = json!({ "collection_id": house.collection_id, "source_url": url, "file_name": "own.mp3" });
    let created = house.post("/v1/track", named).await.expect_ok();
    assert_eq!(created.json["track"]["file_name"], "own.mp3");

    let track = json!({ "source_url": url });
    let nested = json!({ "collection_id": house.collection_id, "track": track });
    let session = house.post("/v1/upload_session", nested).await.expect_ok();
    assert!(session.json["track_upload"]["upload_url"].is_string());
    let path = format!("/v1/upload/{}/track", session.json["upload_session_id"].as_str().unwrap());
    let created = house.call_as("", Method::POST, &path, track).await.expect_ok();
    let path = format!("/v1/track/{}", created.json["track_id"].as_str().unwrap());
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.json["track"]["file_name"], "My song.mp3");
}

async fn creation_needs_a_collection_and_a_file_name(database: TestDatabase) {
    let house = House::open(database).await;
    let collection_id = &house.collection_id;
    house.post("/v1/track", json!({ "file_name": "a.wav" })).await.expect_field("collection_id");
    house.post("/v1/track", json!({ "collection_id": collection_id })).await.expect_field("file_name");
    house.post("/v1/track", Value::Null).await.expect_field("file_name");
    let empty = json!({ "collection_id": collection_id, "file_name": " " });
    house.post("/v1/track", empty).await.expect_field("file_name");
    let long = json!({ "collection_id": collection_id, "file_name": "a".repeat(1001) });
    house.post("/v1/track", long).await.expect_field("file_name");
    // Interface 2.1: the companions cannot be set; they are ignored like every unknown field.
    let companion =
        json!({ "collection_id": collection_id, "file_name": "a.wav", "player_color_light": "#000000" });
    let created = house.post("/v1/track", companion).await.expect_ok();
    assert_ne!(created.json["track"]["player_color_light"], "#000000");
    let unknown = json!({ "collection_id": house.ambient.record_id::<tonearm_domain::CollectionId>(), "file_name": "a" });
    house.post("/v1/track", unknown).await.expect_error(404, "collection_not_found");
    let unknown = json!({
        "collection_id": collection_id, "file_name": "a",
        "creator_id": house.ambient.record_id::<tonearm_domain::CreatorId>(),
    });
    house.post("/v1/track", unknown).await.expect_error(404, "creator_not_found");
    // Interface 5.3: a key scoped to a collection may leave it out, and reaches no other.
    let key = house.key_to_collection(collection_id).await;
    let created =
        house.call_as(&key, Method::POST, "/v1/track", json!({ "file_name": "a.wav" })).await.expect_ok();
    assert_eq!(created.json["track"]["collection_id"], **collection_id);
    let other = house.create_collection("Other").await;
    let body = json!({ "collection_id": other, "file_name": "a.wav" });
    house.call_as(&key, Method::POST, "/v1/track", body).await.expect_error(404, "collection_not_found");
}

async fn a_track_is_read_in_full(database: TestDatabase) {
    let house = House::open(database).await;
    let id = house.ready_track("Song.wav").await;
    let read = house.get(&format!("/v1/track/{id}")).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id track_id track failed_variants"));
    assert_eq!(read.keys("/track"), names(FULL));
    assert_eq!(
        read.keys("/track/info"),
        names(
            "container codec sample_rate channels bit_rate bits_per_sample size loudness_lufs true_peak_dbtp is_truncated tags chapters"
        )
    );
    let track = &read.json["track"];
    assert_eq!(track["track_status_id"], "ready", "{track}");
    assert!((track["duration"].as_f64().unwrap() - 1.0).abs() < 0.05);
    // Interface 2.2, transcription: both null for most tracks.
    assert_eq!((&track["transcription"], &track["transcription_language"]), (&Value::Null, &Value::Null));
}

async fn lists_are_pages_of_all(database: TestDatabase) {
    let house = House::open(database).await;
    for name in ["a.wav", "b.wav", "c.wav"] {
        house.create_track(name).await;
    }
    let path = format!("/v1/collection/{}/track", house.collection_id);
    let all = house.get(&path).await.expect_ok();
    assert_eq!(all.keys(""), names("ok api_request_id count tracks"));
    assert_eq!(all.keys("/tracks/0"), names(REDUCED));
    let listed = |reply: &crate::reply::Reply| -> Vec<String> {
        let tracks = reply.json["tracks"].as_array().unwrap();
        tracks.iter().map(|track| track["file_name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed(&all), ["a.wav", "b.wav", "c.wav"]);
    // `order` increases, and `count` is the total, not the page size.
    let orders: Vec<i64> =
        all.json["tracks"].as_array().unwrap().iter().map(|track| track["order"].as_i64().unwrap()).collect();
    assert!(orders.is_sorted_by(|a, b| a < b), "{orders:?}");
    let page = house.get(&format!("{path}?limit=1&offset=1")).await.expect_ok();
    assert_eq!((listed(&page), &page.json["count"]), (vec!["b.wav".to_owned()], &json!(3)));
    let beyond = house.get(&format!("{path}?offset=7")).await.expect_ok();
    assert_eq!((listed(&beyond).len(), &beyond.json["count"]), (0, &json!(3)));
    for bad in ["limit=0", "limit=201", "limit=x"] {
        house.get(&format!("{path}?{bad}")).await.expect_field("limit");
    }
    house.get(&format!("{path}?offset=-1")).await.expect_field("offset");
    let unknown = house.ambient.record_id::<tonearm_domain::CollectionId>();
    house.get(&format!("/v1/collection/{unknown}/track")).await.expect_error(404, "collection_not_found");
}

async fn updates_change_what_they_name(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let path = format!("/v1/track/{}", created["track_id"].as_str().unwrap());
    let all = json!({
        "organization_index": "my-7", "metadata": { "a": 1 }, "title": "Alias", "player_subtitle": "Sub",
        "player_color": "#102030",
    });
    let updated = house.put(&path, all).await.expect_ok();
    assert_eq!(updated.keys(""), names("ok api_request_id track_id track"));
    assert_eq!(updated.keys("/track"), names(REDUCED));
    assert_eq!(updated.json["track"]["player_title"], "Alias");
    assert_eq!(updated.json["track"]["player_color"], "#102030");
    // An empty update changes nothing; null clears.
    let same = house.put(&path, Value::Null).await.expect_ok();
    assert_eq!(same.json["track"], updated.json["track"]);
    let cleared = json!({ "player_subtitle": null, "metadata": null, "title": "x", "player_title": "Own" });
    let updated = house.put(&path, cleared).await.expect_ok();
    assert_eq!(updated.json["track"]["player_subtitle"], Value::Null);
    assert_eq!(updated.json["track"]["metadata"], json!({}));
    assert_eq!(updated.json["track"]["player_title"], "Own");
    house.put(&path, json!({ "player_color": "red" })).await.expect_field("player_color");
    house.put(&path, json!({ "metadata": [] })).await.expect_field("metadata");
    house.put(&path, json!({ "creator_id": "me" })).await.expect_field("creator_id");
}

async fn a_deleted_track_is_gone(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let path = format!("/v1/track/{}", created["track_id"].as_str().unwrap());
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id track_id deleted_track"));
    assert_eq!(deleted.keys("/deleted_track"), names(DELETED));
    house.get(&path).await.expect_error(404, "track_not_found");
    house.delete(&path).await.expect_error(404, "track_not_found");
    house.put(&path, json!({})).await.expect_error(404, "track_not_found");
    let listed = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    assert_eq!(listed.json["count"], 0);
    // The upload URL signed for it does not work any more, and its objects are deleted.
    let url = created["track_upload"]["upload_url"].as_str().unwrap();
    house.upload(url, crate::house::tone()).await.expect_error(404, "track_not_found");
    house.run_jobs().await;
}

async fn a_key_sees_nothing_outside_its_scope(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("Song.wav").await["track_id"].as_str().unwrap().to_owned();
    let other_track = house.create_track("Other.wav").await["track_id"].as_str().unwrap().to_owned();
    let other_collection = house.create_collection("Other").await;
    let to_track = CreateKey {
        collection_id: Some(house.collection_id.parse().unwrap()),
        track_id: Some(track.parse().unwrap()),
        ..CreateKey::new(KeyType::Api, "One track")
    };
    let to_track = house.key(to_track).await;
    let to_other = house.key_to_collection(&other_collection).await;
    let neighbour = house.neighbour().await;
    let path = format!("/v1/track/{track}");
    house.call_as(&to_track, Method::GET, &path, Value::Null).await.expect_ok();
    for key in [&to_other, &neighbour] {
        for method in [Method::GET, Method::PUT, Method::DELETE] {
            house.call_as(key, method, &path, Value::Null).await.expect_error(404, "track_not_found");
        }
        let list = format!("/v1/collection/{}/track", house.collection_id);
        house.call_as(key, Method::GET, &list, Value::Null).await.expect_error(404, "collection_not_found");
    }
    let other = format!("/v1/track/{other_track}");
    house.call_as(&to_track, Method::GET, &other, Value::Null).await.expect_error(404, "track_not_found");
    let list = format!("/v1/collection/{}/track", house.collection_id);
    let listed = house.call_as(&to_track, Method::GET, &list, Value::Null).await.expect_ok();
    assert_eq!(listed.json["count"], 1);
}

async fn a_cover_url_can_be_renewed(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    house.clock.advance_seconds(4000);
    let id = created["track_id"].as_str().unwrap();
    let renewed = house.post(&format!("/v1/track/{id}/cover"), Value::Null).await.expect_ok();
    assert_eq!(renewed.keys(""), names("ok api_request_id track_id track track_cover_upload"));
    assert_eq!(renewed.json["track_cover_upload"]["method"], "POST");
    assert_eq!(renewed.json["track_cover_upload"]["expires_at"], "2030-01-01T02:06:40.000Z");
}

async fn numbers_come_back_with_their_digits(database: TestDatabase) {
    let house = House::open(database).await;
    let send = async |method: Method, path: &str, body: String| {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", house.key))
            .header("content-type", "application/json");
        let (status, _, body) = house.send_raw(request.body(Body::from(body)).unwrap()).await;
        let body = String::from_utf8(body).unwrap();
        assert_eq!(status, 200, "{body}");
        body
    };
    let metadata = r#""metadata":{"x":1.7976931348623157e308,"a":[1.10,-0.0,12345678901234567890123,1E2]}"#;
    let body = format!(r#"{{"collection_id":"{}","file_name":"a.wav",{metadata}}}"#, house.collection_id);
    let created = send(Method::POST, "/v1/track", body).await;
    assert!(created.contains(metadata), "{created}");
    let created: Value = serde_json::from_str(&created).unwrap();
    let path = format!("/v1/track/{}", created["track_id"].as_str().unwrap());
    let list = format!("/v1/collection/{}/track", house.collection_id);
    for path in [&path, &list, "/v1/track?query=wav"] {
        let read = send(Method::GET, path, String::new()).await;
        assert!(read.contains(metadata), "{read}");
    }
    let changed = metadata.replace("1.10", "1.20");
    let updated = send(Method::PUT, &path, format!("{{{changed}}}")).await;
    assert!(updated.contains(&changed), "{updated}");
    let deleted = send(Method::DELETE, &path, String::new()).await;
    assert!(deleted.contains(&changed), "{deleted}");
}
