//! Keys with which a backend signs delivery URLs itself.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(signing_keys_are_shown_once, signing_keys_are_for_whoever_has_everything, signing_keys_are_bounded);

async fn signing_keys_are_shown_once(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.post("/v1/signing_key", json!({ "title": "Backend" })).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id signing_key_id signing_key secret"));
    assert_eq!(
        created.keys("/signing_key"),
        names("id organization_id title revoked_at expires_at created_at")
    );
    let id = created.json["signing_key_id"].as_str().unwrap().to_owned();
    let secret = created.json["secret"].as_str().unwrap();
    assert_eq!(secret, house.signer.signing_key(house.organization_id, id.parse().unwrap()));
    house.post("/v1/signing_key", Value::Null).await.expect_ok();
    house.neighbour().await;
    let listed = house.get("/v1/signing_key").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count signing_keys"));
    assert_eq!(listed.json["count"], 2);
    assert!(!listed.json.to_string().contains(secret));
    let of_page = house.get("/v1/signing_key?limit=1&offset=1").await.expect_ok();
    assert_eq!(of_page.json["signing_keys"], json!([listed.json["signing_keys"][1]]));
    let path = format!("/v1/signing_key/{id}");
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id signing_key_id signing_key"));
    assert_eq!(read.json["signing_key"], created.json["signing_key"]);
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id signing_key_id deleted_signing_key"));
    assert!(deleted.json["deleted_signing_key"]["revoked_at"].is_string());
    assert_eq!(house.get(&path).await.json["signing_key"], deleted.json["deleted_signing_key"]);
    house.delete(&path).await.expect_error(404, "signing_key_not_found");
    house.get("/v1/signing_key/abcdefghijkl").await.expect_error(404, "signing_key_not_found");
    house.get("/v1/signing_key/Not-one").await.expect_field("signing_key_id");
    house.post("/v1/signing_key", json!({ "title": 7 })).await.expect_field("title");
    // Entries of the same time have no defined order.
    let mut actions: Vec<String> =
        house.audited("signing_key").await.into_iter().map(|line| line.0).collect();
    actions.sort();
    assert_eq!(actions, ["signing_key.create", "signing_key.create", "signing_key.revoke"]);
}

/// A signing key gives access to every file.
async fn signing_keys_are_for_whoever_has_everything(database: TestDatabase) {
    let house = House::open(database).await;
    let limited = house.key_to_variant("lq").await;
    let created = house.call_as(&limited, Method::POST, "/v1/signing_key", json!({})).await;
    created.expect_error(403, "key_limits");
    assert_eq!(house.get("/v1/signing_key").await.json["count"], 0);
}

async fn signing_keys_are_bounded(database: TestDatabase) {
    let house = House::open(database).await;
    let first = house.post("/v1/signing_key", json!({})).await.expect_ok();
    for _ in 1..100 {
        house.post("/v1/signing_key", json!({})).await.expect_ok();
    }
    house.post("/v1/signing_key", json!({})).await.expect_error(409, "too_many_signing_keys");
    house
        .delete(&format!("/v1/signing_key/{}", first.json["signing_key_id"].as_str().unwrap()))
        .await
        .expect_ok();
    house.post("/v1/signing_key", json!({})).await.expect_ok();
}
