//! Decisions, "Keys".

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(
    keys_are_shown_once_and_work,
    keys_have_rules,
    a_key_names_variants_that_exist,
    a_limited_key_never_lists_more,
);

async fn keys_are_shown_once_and_work(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({
        "title": "Player", "api_key_type_id": "player", "collection_id": house.collection_id,
        "variants": ["hq"], "is_downloadable": true, "expires_at": "2030-01-01T01:00:00Z",
    });
    let created = house.post("/v1/api_key", body).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id api_key_id api_key api_key_record share_url"));
    assert_eq!(created.json["share_url"], json!(null), "of share keys alone");
    assert_eq!(
        created.keys("/api_key_record"),
        names(
            "id organization_id title api_key_type_id collection_id track_id creator_id variants is_downloadable
             allowed_origins expires_at revoked_at last_used_at created_at"
        )
    );
    let key = created.json["api_key"].as_str().unwrap();
    let session = json!({ "collection_id": house.collection_id, "is_downloadable": true });
    let path = "/v1/play_session/collection";
    let granted = house.call_as(key, Method::POST, path, session.clone()).await.expect_ok();
    assert_eq!(granted.json["play_session"]["variants"], json!(["hq"]));
    assert_eq!(granted.json["play_session"]["is_downloadable"], true);
    house.clock.advance_seconds(3600);
    house.call_as(key, Method::POST, path, session).await.expect_error(401, "invalid_api_key");
}

async fn keys_have_rules(database: TestDatabase) {
    let house = House::open(database).await;
    let create = |body: Value| house.post("/v1/api_key", body);
    create(json!({})).await.expect_field("title");
    create(json!({ "title": "x" })).await.expect_field("api_key_type_id");
    create(json!({ "title": "x", "api_key_type_id": "root" })).await.expect_field("api_key_type_id");
    create(json!({ "title": "x", "api_key_type_id": "api" })).await.expect_error(403, "key_type");
    // Interface 2.7: an inline share key has exactly one variant.
    create(json!({ "title": "x", "api_key_type_id": "share" })).await.expect_field("variants");
    let two = json!({ "title": "x", "api_key_type_id": "share", "variants": ["hq", "lq"] });
    create(two).await.expect_field("variants");
    let track = house.create_track("a.wav").await;
    let without_collection =
        json!({ "title": "x", "api_key_type_id": "player", "track_id": track["track_id"] });
    create(without_collection).await.expect_field("collection_id");
    let past = json!({ "title": "x", "api_key_type_id": "player", "expires_at": "2029-12-31T23:59:59Z" });
    create(past).await.expect_field("expires_at");
    let never = json!({ "title": "x", "api_key_type_id": "player", "expires_at": "9999-12-31T23:59:59Z" });
    let never = create(never).await.expect_ok();
    let id = never.json["api_key_id"].as_str().unwrap();
    let read = house.get(&format!("/v1/api_key/{id}")).await.expect_ok();
    assert_eq!(read.json.pointer("/api_key_record/expires_at"), Some(&json!("9999-12-31T23:59:59.000Z")));
    let scoped = house.key_to_collection(&house.collection_id).await;
    let body = json!({ "title": "x", "api_key_type_id": "player" });
    house.call_as(&scoped, Method::POST, "/v1/api_key", body).await.expect_error(403, "key_scope");
}

async fn a_key_names_variants_that_exist(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let own = json!({ "index": "own", "variant_type_id": "preview" });
    house.post(&format!("/v1/track/{track}/variant"), own).await.expect_ok();
    let create = async |variants: Value, scope: Value| {
        let mut body = json!({ "title": "x", "api_key_type_id": "player", "variants": variants });
        body.as_object_mut().unwrap().extend(scope.as_object().unwrap().clone());
        house.post("/v1/api_key", body).await
    };
    let refused = create(json!(["hq", "previw", "gone"]), json!({})).await.expect_field("variants");
    let message = refused.json["message"].as_str().unwrap().to_owned();
    assert!(message.contains("previw, gone") && message.contains("preview"), "{message}");
    // An empty list does not mean "all".
    create(json!([]), json!({})).await.expect_field("variants");
    let all = create(Value::Null, json!({})).await.expect_ok();
    assert_eq!(all.json["api_key"]["variants"], Value::Null);
    // A track's own variant is accepted if the key reaches the track.
    let other = house.create_collection("Other").await;
    let to_track = json!({ "collection_id": house.collection_id, "track_id": track });
    create(json!(["own"]), to_track).await.expect_ok();
    create(json!(["own"]), json!({ "collection_id": house.collection_id })).await.expect_ok();
    create(json!(["own"]), json!({ "collection_id": other })).await.expect_field("variants");
    let share = json!({ "title": "x", "api_key_type_id": "share", "variants": ["previw"] });
    house.post("/v1/api_key", share).await.expect_field("variants");
}

/// Regression: a key for a variant that did not exist once played and downloaded everything.
async fn a_limited_key_never_lists_more(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let own = json!({ "index": "own", "variant_type_id": "preview" });
    house.post(&format!("/v1/track/{track}/variant"), own).await.expect_ok();
    house.run_jobs().await;
    let key = async |variants: &[&str]| {
        let body = json!({
            "title": "x", "api_key_type_id": "player", "is_downloadable": true, "variants": variants,
        });
        let made = house.post("/v1/api_key", body).await.expect_ok();
        made.json["api_key"].as_str().unwrap().to_owned()
    };
    let grant = async |key: &str, asked: Value| {
        let body =
            json!({ "collection_id": house.collection_id, "is_downloadable": true, "variants": asked });
        house.call_as(key, Method::POST, "/v1/play_session/collection", body).await
    };
    let listed = async |key: &str, asked: Value| {
        let granted = grant(key, asked).await.expect_ok();
        let files = granted.json["first_track"]["variants"].as_array().unwrap().clone();
        let files: Vec<String> =
            files.iter().map(|v| v["variant"]["index"].as_str().unwrap().to_owned()).collect();
        let session = granted.json["play_session_id"].as_str().unwrap().to_owned();
        for variant in ["hq", "lq", "preview", "original", "own"] {
            let path = format!("/v1/play/{session}/{track}/{variant}/download");
            let expected = if files.iter().any(|file| file == variant) { 200 } else { 404 };
            assert_eq!(house.get_open(&path).await.status, expected, "{variant} of {files:?}");
        }
        files
    };
    let preview = key(&["preview"]).await;
    assert_eq!(listed(&preview, Value::Null).await, ["preview"]);
    // Decisions, "Variants": if none of the requested variants remains, the response lists what the key allows.
    assert_eq!(listed(&preview, json!(["hq", "nothing"])).await, ["preview"]);
    let own = key(&["own"]).await;
    assert_eq!(listed(&own, Value::Null).await, ["own"]);
    let levels = key(&["levels"]).await;
    grant(&levels, Value::Null).await.expect_field("variants");
    grant(&levels, json!(["hq"])).await.expect_field("variants");
}
