//! Organizations take turns at a busy node.

use axum::body::Body;
use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::FuturesUnordered;
use http::{Method, Request};
use serde_json::{Value, json};
use tokio::sync::Barrier;
use tonearm_domain::Patch;
use tonearm_fixtures::{LateBody, TestDatabase};
use tonearm_service::{UpdateQuotas, requests_at_once};

use crate::house::{House, local};
use crate::on_both;

on_both!(
    a_request_does_not_wait_for_the_flood_of_another_organization,
    holders_of_upload_sessions_take_turns_too,
    holders_of_upload_urls_take_turns_too,
    who_waits_for_a_body_has_no_turn,
);

async fn list(house: &House, key: &str) {
    house.call_as(key, Method::GET, "/v1/track?limit=200", Value::Null).await.expect_ok();
}

async fn a_request_does_not_wait_for_the_flood_of_another_organization(database: TestDatabase) {
    let house = House::open(database).await;
    let neighbour = house.neighbour().await;
    let flood = async || list(&house, &house.key).await;
    assert_neighbour_waits_at_most(3 * requests_at_once(), &house, &neighbour, flood).await;
}

async fn who_waits_for_a_body_has_no_turn(database: TestDatabase) {
    let house = House::open(database).await;
    let most = requests_at_once() + 1;
    let (all_wait, has_read) = (Barrier::new(most), Barrier::new(most));
    let create = async |_| {
        let (body, late) = LateBody::new(json!({ "title": "Late" }).to_string());
        let request = Request::post("/v1/collection").header("content-type", "application/json");
        let request = request.header("authorization", format!("Bearer {}", house.key)).body(body).unwrap();
        let arrives = late.arrives_after(async {
            if all_wait.wait().await.is_leader() {
                house.get("/v1/collection").await.expect_ok();
            }
            has_read.wait().await;
        });
        tokio::join!(house.send(request), arrives).0.expect_ok();
    };
    join_all((0..most).map(create)).await;
}

async fn holders_of_upload_sessions_take_turns_too(database: TestDatabase) {
    let house = House::open(database).await;
    let (neighbour, session) = (house.neighbour().await, house.upload_session().await);
    let flood = async || {
        let (path, body) = (format!("/v1/upload/{session}/track"), json!({ "file_name": "a.wav" }));
        house.call_as("", Method::POST, &path, body).await.expect_ok();
    };
    assert_neighbour_waits_at_most(3 * requests_at_once(), &house, &neighbour, flood).await;
}

/// Floods the service with requests, and then lets the neighbour ask.
async fn assert_neighbour_waits_at_most(most: usize, house: &House, neighbour: &str, flood: impl AsyncFn()) {
    let (count, flood) = (20 * requests_at_once(), &flood);
    // From now on, requests with this key wait for nothing before their turn: it is cached.
    list(house, neighbour).await;
    let ask = async |key: Option<&str>| {
        match key {
            None => flood().await,
            Some(key) => list(house, key).await,
        }
        key.is_some()
    };
    let keys = std::iter::repeat_n(None, count).chain([Some(neighbour)]);
    let answered: Vec<bool> = keys.map(ask).collect::<FuturesUnordered<_>>().collect().await;
    let place = answered.iter().position(|is_neighbour| *is_neighbour).unwrap();
    assert!(place <= most, "{place} of {count}");
}

async fn holders_of_upload_urls_take_turns_too(database: TestDatabase) {
    let house = House::open(database).await;
    let (neighbour, waiting) = (house.neighbour().await, house.waiting_track().await);
    // With a quota, each request sums up what the organization has.
    house.set_quotas(UpdateQuotas { bytes: Patch::Set(1 << 40), ..UpdateQuotas::default() }).await;
    for (method, url) in [(Method::PUT, &waiting.url), (Method::POST, &waiting.cover_url)] {
        let flood = async || {
            let request = Request::builder().method(&method).uri(local(url)).body(Body::empty()).unwrap();
            house.send(request).await.expect_error(400, "invalid_parameter");
        };
        // Their requests take fewer statements than that of the neighbour.
        assert_neighbour_waits_at_most(10 * requests_at_once(), &house, &neighbour, flood).await;
    }
}
