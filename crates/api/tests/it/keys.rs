//! Decisions, "Keys".

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::Place;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(keys_are_shown_once_and_work, keys_have_rules);

async fn keys_are_shown_once_and_work(place: Place) {
    let house = House::open(place).await;
    let body = json!({
        "title": "Player", "api_key_type_id": "player", "collection_id": house.collection_id,
        "variants": ["hq"], "is_downloadable": true, "expires_at": "2030-01-01T01:00:00Z",
    });
    let created = house.post("/v1/api_key", body).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id api_key_id api_key api_key_record"));
    assert_eq!(
        created.keys("/api_key_record"),
        names(
            "id organization_id title api_key_type_id collection_id track_id creator_id variants is_downloadable
             expires_at created_at"
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

async fn keys_have_rules(place: Place) {
    let house = House::open(place).await;
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
    let scoped = house.key_to_collection(&house.collection_id).await;
    let body = json!({ "title": "x", "api_key_type_id": "player" });
    house.call_as(&scoped, Method::POST, "/v1/api_key", body).await.expect_error(403, "key_scope");
}
