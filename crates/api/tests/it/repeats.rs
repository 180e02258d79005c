//! `Idempotency-Key`: asked twice, done once.

use axum::body::Body;
use futures::future::join_all;
use http::Request;
use serde_json::{Value, json};
use tonearm_fixtures::Place;

use crate::house::House;
use crate::on_both;
use crate::reply::Reply;

on_both!(
    a_repeated_post_gets_the_first_answer,
    only_the_same_request_is_a_repetition,
    only_successes_are_kept,
    answers_are_for_who_is_still_let_in,
    upload_sessions_repeat_too,
    many_at_once_are_done_once,
);

async fn post(house: &House, key: &str, path: &str, repeat: &str, body: &Value) -> Reply {
    let mut request = Request::post(path).header("content-type", "application/json");
    if !key.is_empty() {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let request = request.header("idempotency-key", repeat).body(Body::from(body.to_string()));
    house.send(request.unwrap()).await
}

fn track(house: &House) -> Value {
    json!({ "collection_id": house.collection_id, "file_name": "once.wav" })
}

async fn count(house: &House) -> u64 {
    let list = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    list.json["count"].as_u64().unwrap()
}

async fn a_repeated_post_gets_the_first_answer(place: Place) {
    let house = House::open(place).await;
    let first = post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    house.clock.advance_seconds(3600);
    let second = post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    assert_eq!(first.json, second.json);
    assert_eq!(first.header("idempotency-replayed"), None);
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(second.header("content-type"), Some("application/json"));
    assert_eq!(count(&house).await, 1);
    house.clock.advance_seconds(23 * 3600);
    post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    assert_eq!(count(&house).await, 2, "after a day the key is free");
}

async fn only_the_same_request_is_a_repetition(place: Place) {
    let house = House::open(place).await;
    post(&house, &house.key, "/v1/track", "k", &track(&house)).await.expect_ok();
    let other = json!({ "collection_id": house.collection_id, "file_name": "other.wav" });
    post(&house, &house.key, "/v1/track", "k", &other).await.expect_error(422, "idempotency_key_reused");
    let session = json!({ "collection_id": house.collection_id });
    post(&house, &house.key, "/v1/upload_session", "k", &session)
        .await
        .expect_error(422, "idempotency_key_reused");
    // Another caller's keys are other keys.
    let neighbour = house.neighbour().await;
    let made = post(&house, &neighbour, "/v1/collection", "k", &json!({ "title": "Theirs" })).await;
    assert_eq!(made.expect_ok().header("idempotency-replayed"), None);
    for bad in ["", &"x".repeat(256)] {
        post(&house, &house.key, "/v1/track", bad, &track(&house)).await.expect_field("Idempotency-Key");
    }
}

async fn only_successes_are_kept(place: Place) {
    let house = House::open(place).await;
    let wrong = json!({ "collection_id": house.collection_id, "file_name": "" });
    post(&house, &house.key, "/v1/track", "k", &wrong).await.expect_field("file_name");
    post(&house, &house.key, "/v1/track", "k", &track(&house)).await.expect_ok();
    assert_eq!(count(&house).await, 1);
}

async fn answers_are_for_who_is_still_let_in(place: Place) {
    let house = House::open(place).await;
    let body = json!({ "title": "t", "api_key_type_id": "player" });
    let first = post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_ok();
    let again = post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_ok();
    assert_eq!(first.json, again.json, "the secret is told again to who was told before");
    post(&house, "", "/v1/api_key", "k", &body).await.expect_error(401, "missing_api_key");
    post(&house, "nonsense", "/v1/api_key", "k", &body).await.expect_error(401, "invalid_api_key");
    house.revoke(&house.key).await;
    post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_error(401, "invalid_api_key");
}

async fn upload_sessions_repeat_too(place: Place) {
    let house = House::open(place).await;
    let session = house.post("/v1/upload_session", json!({ "collection_id": house.collection_id })).await;
    let path = format!("/v1/upload/{}/track", session.json["upload_session_id"].as_str().unwrap());
    let body = json!({ "file_name": "memo.wav" });
    let first = post(&house, "", &path, "k", &body).await.expect_ok();
    let again = post(&house, "", &path, "k", &body).await.expect_ok();
    assert_eq!(first.json["track_id"], again.json["track_id"]);
    house.clock.advance_seconds(3600);
    post(&house, "", &path, "k", &body).await.expect_error(401, "invalid_upload_session");
}

async fn many_at_once_are_done_once(place: Place) {
    let house = House::open(place).await;
    let body = track(&house);
    let replies = join_all((0..16).map(|_| post(&house, &house.key, "/v1/track", "k", &body))).await;
    for reply in &replies {
        assert!(matches!(reply.status.as_u16(), 200 | 409), "{}", reply.json);
    }
    assert!(replies.iter().any(|reply| reply.status == 200));
    assert_eq!(count(&house).await, 1);
}
