//! Interface 5 and decisions "Errors": authentication and authorization.

use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::{KeyType, Timestamp};
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;

on_both!(a_key_is_needed, only_a_good_key_is_one, each_type_of_key_has_its_doors, the_key_is_looked_at_first);

pub(crate) const MANAGED: &[(&str, &str)] = &[
    ("GET", "/v1/track/ID"),
    ("PUT", "/v1/track/ID"),
    ("DELETE", "/v1/track/ID"),
    ("GET", "/v1/track"),
    ("POST", "/v1/track"),
    ("GET", "/v1/track/ID/progress"),
    ("POST", "/v1/track/ID/variant"),
    ("POST", "/v1/track/ID/cover"),
    ("DELETE", "/v1/track/ID/cover"),
    ("DELETE", "/v1/collection/ID/cover"),
    ("DELETE", "/v1/organization/ID/cover"),
    ("GET", "/v1/collection/ID/track"),
    ("GET", "/v1/organization/ID"),
    ("PUT", "/v1/organization/ID"),
    ("GET", "/v1/collection"),
    ("POST", "/v1/collection"),
    ("GET", "/v1/collection/ID"),
    ("PUT", "/v1/collection/ID"),
    ("DELETE", "/v1/collection/ID"),
    ("PUT", "/v1/collection/ID/order"),
    ("GET", "/v1/job/ID"),
    ("GET", "/v1/creator"),
    ("POST", "/v1/creator"),
    ("GET", "/v1/creator/ID"),
    ("PUT", "/v1/creator/ID"),
    ("DELETE", "/v1/creator/ID"),
    ("GET", "/v1/variant"),
    ("GET", "/v1/variant/ID"),
    ("POST", "/v1/variant"),
    ("PUT", "/v1/variant/ID"),
    ("DELETE", "/v1/variant/ID"),
    ("PUT", "/v1/variant/order"),
    ("GET", "/v1/variant/ID/rendering"),
    ("POST", "/v1/variant/ID/rendering"),
    ("GET", "/v1/api_key"),
    ("POST", "/v1/api_key"),
    ("GET", "/v1/api_key/ID"),
    ("PUT", "/v1/api_key/ID"),
    ("DELETE", "/v1/api_key/ID"),
    ("GET", "/v1/signing_key"),
    ("POST", "/v1/signing_key"),
    ("GET", "/v1/signing_key/ID"),
    ("DELETE", "/v1/signing_key/ID"),
    ("GET", "/v1/import_bucket"),
    ("PUT", "/v1/import_bucket/ID"),
    ("DELETE", "/v1/import_bucket/ID"),
    ("GET", "/v1/webhook"),
    ("POST", "/v1/webhook"),
    ("GET", "/v1/webhook/ID"),
    ("PUT", "/v1/webhook/ID"),
    ("DELETE", "/v1/webhook/ID"),
    ("POST", "/v1/webhook/ID/rotate_secret"),
    ("POST", "/v1/webhook/ID/test"),
    ("POST", "/v1/webhook/ID/replay_failed"),
    ("GET", "/v1/webhook/ID/delivery"),
    ("GET", "/v1/webhook/ID/delivery/ID"),
    ("POST", "/v1/webhook/ID/delivery/ID/replay"),
    ("GET", "/v1/usage"),
    ("GET", "/v1/listens"),
];
pub(crate) const PLAYING: &[(&str, &str)] =
    &[("POST", "/v1/play_session/collection"), ("GET", "/v1/play_session/ID")];
pub(crate) const UPLOADING: &[(&str, &str)] = &[("POST", "/v1/upload_session")];

fn all() -> impl Iterator<Item = (Method, String)> {
    let id = "018f0000-0000-7000-8000-000000000001";
    [MANAGED, PLAYING, UPLOADING]
        .concat()
        .into_iter()
        .map(move |(method, path)| (method.parse().unwrap(), path.replace("ID", id)))
}

async fn a_key_is_needed(database: TestDatabase) {
    let house = House::open(database).await;
    for (method, path) in all() {
        let reply = house.call_as("", method, &path, Value::Null).await.expect_error(401, "missing_api_key");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{path}");
    }
}

async fn only_a_good_key_is_one(database: TestDatabase) {
    let house = House::open(database).await;
    let expires_at: Timestamp = house.ambient.now().plus_seconds(60);
    let expiring = CreateKey { expires_at: Some(expires_at), ..CreateKey::new(KeyType::Api, "Soon gone") };
    let expiring = house.key(expiring).await;
    house.call_as(&expiring, Method::GET, "/v1/variant", Value::Null).await.expect_ok();
    house.clock.advance_seconds(60);
    let mut altered = house.key.clone();
    let last = if altered.ends_with('0') { "1" } else { "0" };
    altered.replace_range(altered.len() - 1.., last);
    for bad in [&expiring, &altered, "x", &house.key[1..], &format!("{} x", house.key)] {
        let reply = house.call_as(bad, Method::GET, "/v1/variant", Value::Null).await;
        let reply = reply.expect_error(401, "invalid_api_key");
        assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
    }
    for header in ["Basic abc", "", "Bearer"] {
        let request = Request::get("/v1/variant").header("authorization", header);
        let reply = house.send(request.body(axum::body::Body::empty()).unwrap()).await;
        reply.expect_error(401, "invalid_api_key");
    }
    // The scheme name is case-insensitive.
    let request = Request::get("/v1/variant").header("authorization", format!("bearer {}", house.key));
    house.send(request.body(axum::body::Body::empty()).unwrap()).await.expect_ok();
}

async fn each_type_of_key_has_its_doors(database: TestDatabase) {
    let house = House::open(database).await;
    for (key_type, doors) in [
        (KeyType::Api, [MANAGED, PLAYING, UPLOADING].concat()),
        (KeyType::Player, PLAYING.to_vec()),
        (KeyType::Uploader, UPLOADING.to_vec()),
        (KeyType::Share, Vec::new()),
    ] {
        let key = house.key_of_type(key_type).await;
        for (method, path) in [MANAGED, PLAYING, UPLOADING].concat() {
            let asked = path.replace("ID", "018f0000-0000-7000-8000-000000000001");
            let reply = house.call_as(&key, method.parse().unwrap(), &asked, Value::Null).await;
            if doors.contains(&(method, path)) {
                assert_ne!(reply.status, 403, "{key_type:?} {method} {path}");
            } else {
                reply.expect_error(403, "key_type");
            }
        }
    }
}

async fn the_key_is_looked_at_first(database: TestDatabase) {
    let house = House::open(database).await;
    let path = "/v1/track/not-a-uuid";
    house.call_as("", Method::GET, path, Value::Null).await.expect_error(401, "missing_api_key");
    house.get(path).await.expect_field("track_id");
    let request = Request::post("/v1/track").header("content-type", "text/plain");
    let reply = house.send(request.body("{".into()).unwrap()).await;
    reply.expect_error(401, "missing_api_key");
    house.call_as("", Method::POST, "/v1/track", json!({})).await.expect_error(401, "missing_api_key");
}
