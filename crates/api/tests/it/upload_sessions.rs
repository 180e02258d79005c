//! Interface 2.5 and 4.3.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;

use crate::house::{House, local, tone};
use crate::on_both;
use crate::reply::names;

const SESSION: &str = "id creator_id collection_id organization_index metadata expires_at";
const ANSWER: &str = "ok api_request_id upload_session_id upload_session player_color player_color_light player_color_dark expires_at";

on_both!(
    a_session_is_filled_by_whoever_holds_it,
    a_session_may_come_with_a_track,
    a_session_has_rules,
    a_session_expires,
    without_a_session_no_body_is_read,
);

async fn without_a_session_no_body_is_read(database: TestDatabase) {
    let house = House::open(database).await;
    let path = "/v1/upload/018f0000-0000-4000-8000-000000000001/track";
    let body = futures::stream::poll_fn(|_| -> std::task::Poll<Option<std::io::Result<Vec<u8>>>> {
        panic!("the body was read")
    });
    let refused =
        house.send(http::Request::post(path).body(axum::body::Body::from_stream(body)).unwrap()).await;
    refused.expect_error(401, "invalid_upload_session");
}

async fn a_session_is_filled_by_whoever_holds_it(database: TestDatabase) {
    let house = House::open(database).await;
    let key = house.key_of_type(KeyType::Uploader).await;
    let body = json!({
        "collection_id": house.collection_id, "organization_index": "batch", "metadata": { "a": 1 }, "expires_in": 120,
    });
    let created = house.call_as(&key, Method::POST, "/v1/upload_session", body).await.expect_ok();
    assert_eq!(created.keys(""), names(ANSWER));
    assert_eq!(created.keys("/upload_session"), names(SESSION));
    assert_eq!(created.json["expires_at"], "2030-01-01T00:02:00.000Z");
    let id = created.json["upload_session_id"].as_str().unwrap();
    let read = house.get_open(&format!("/v1/upload_session/{id}")).await.expect_ok();
    for field in ["upload_session_id", "upload_session", "player_color", "expires_at"] {
        assert_eq!(read.json[field], created.json[field]);
    }

    let path = format!("/v1/upload/{id}/track");
    let body =
        json!({ "file_name": "a.wav", "organization_index": "one", "metadata": { "b": 2 }, "file_size": 9 });
    let track = house.call_as("", Method::POST, &path, body).await.expect_ok();
    assert_eq!(
        track.keys(""),
        names(
            "ok api_request_id upload_session_id track_id track upload_session track_upload track_cover_upload"
        )
    );
    assert_eq!(track.keys("/track"), names("id index path base_path base_url upload_url"));
    assert_eq!(track.keys("/upload_session"), names(SESSION));
    assert_eq!(track.keys("/track_upload"), names("method upload_url ttl expires_at"));
    assert_eq!(track.json["track"]["upload_url"], track.json["track_upload"]["upload_url"]);
    assert_eq!(
        (&track.json["track_upload"]["method"], &track.json["track_upload"]["ttl"]),
        (&json!("PUT"), &json!(3600))
    );
    assert_eq!(track.json["track_cover_upload"]["method"], "POST");
    let url = track.json["track"]["upload_url"].as_str().unwrap();
    assert!(local(url).starts_with("/upload/"));
    house.upload(url, tone()).await.expect_ok();
    let read =
        house.get(&format!("/v1/track/{}", track.json["track_id"].as_str().unwrap())).await.expect_ok();
    assert_eq!(read.json["track"]["organization_index"], "one");
    assert_eq!(read.json["track"]["metadata"], json!({ "b": 2 }));
}

async fn a_session_may_come_with_a_track(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({
        "collection_id": house.collection_id,
        "track": { "file_name": "a.wav", "player_title": "A", "metadata": { "a": 1 } },
    });
    let created = house.post("/v1/upload_session", body).await.expect_ok();
    assert_eq!(created.keys(""), names(&format!("{ANSWER} track_id track track_upload track_cover_upload")));
    assert_eq!(created.keys("/track"), names("id index path base_path base_url upload_url"));
    let read =
        house.get(&format!("/v1/track/{}", created.json["track_id"].as_str().unwrap())).await.expect_ok();
    assert_eq!(read.json["track"]["player_title"], "A");
    assert_eq!(read.json["track"]["creator_id"], Value::Null);
    // The creator of the track, else of the session.
    let creator = async |index: &str| {
        let created = house.post("/v1/creator", json!({ "organization_index": index })).await.expect_ok();
        created.json["creator_id"].clone()
    };
    let (one, other) = (creator("one").await, creator("other").await);
    for (own, expected) in [(&other, &other), (&Value::Null, &one)] {
        let track = json!({ "file_name": "a.wav", "creator_id": own });
        let body = json!({ "collection_id": house.collection_id, "creator_id": one, "track": track });
        let created = house.post("/v1/upload_session", body).await.expect_ok();
        let path = format!("/v1/track/{}", created.json["track_id"].as_str().unwrap());
        assert_eq!(house.get(&path).await.expect_ok().json["track"]["creator_id"], *expected);
    }
    let track = json!({ "file_name": "a.wav", "creator_id": "018f0000-0000-7000-8000-000000000001" });
    let body = json!({ "collection_id": house.collection_id, "track": track });
    house.post("/v1/upload_session", body).await.expect_error(404, "creator_not_found");
    let body = json!({ "collection_id": house.collection_id, "track": {} });
    house.post("/v1/upload_session", body).await.expect_field("track.file_name");
    let body = json!({ "collection_id": house.collection_id, "track": { "file_name": 7 } });
    house.post("/v1/upload_session", body).await.expect_field("track.file_name");
}

async fn a_session_has_rules(database: TestDatabase) {
    let house = House::open(database).await;
    house.post("/v1/upload_session", Value::Null).await.expect_field("collection_id");
    let path = "/v1/upload_session";
    // Interface 5.3: a key scoped to a collection may leave it out.
    let scoped = house.key_to_collection(&house.collection_id).await;
    let created = house.call_as(&scoped, Method::POST, path, Value::Null).await.expect_ok();
    assert_eq!(created.json["upload_session"]["collection_id"], *house.collection_id);
    // Interface 8: 60 to 86400 seconds, default: 3600.
    assert_eq!(created.json["expires_at"], "2030-01-01T01:00:00.000Z");
    for bad in [59, 86_401] {
        let body = json!({ "collection_id": house.collection_id, "expires_in": bad });
        house.post(path, body).await.expect_field("expires_in");
    }
    let other = house.create_collection("Other").await;
    let body = json!({ "collection_id": other });
    house.call_as(&scoped, Method::POST, path, body).await.expect_error(404, "collection_not_found");
    let id = created.json["upload_session_id"].as_str().unwrap();
    let path = format!("/v1/upload/{id}/track");
    house.call_as("", Method::POST, &path, json!({})).await.expect_field("file_name");
}

async fn a_session_expires(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "collection_id": house.collection_id, "expires_in": 60 });
    let created = house.post("/v1/upload_session", body).await.expect_ok();
    let id = created.json["upload_session_id"].as_str().unwrap();
    house.clock.advance_seconds(60);
    let expired = "invalid_upload_session";
    house.get_open(&format!("/v1/upload_session/{id}")).await.expect_error(401, expired);
    let body = json!({ "file_name": "a.wav" });
    house.call_as("", Method::POST, &format!("/v1/upload/{id}/track"), body).await.expect_error(401, expired);
    let unknown = house.ambient.credential_id::<tonearm_domain::UploadSessionId>();
    house.get_open(&format!("/v1/upload_session/{unknown}")).await.expect_error(401, expired);
}
