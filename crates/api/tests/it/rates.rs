//! Rate limits.

use std::net::SocketAddr;
use std::num::NonZeroU32;

use axum::body::Body;
use http::Request;
use tonearm_api::{ApiSettings, RateLimits};
use tonearm_domain::ClientAddress;
use tonearm_fixtures::TestDatabase;

use crate::house::House;

async fn strict() -> House {
    let rate_limits = RateLimits { per_key: NonZeroU32::new(3), per_address: NonZeroU32::new(5) };
    House::open(TestDatabase::sqlite()).await.with(ApiSettings { rate_limits, ..ApiSettings::default() })
}

async fn ask(house: &House, from: &str, key: &str) -> crate::reply::Reply {
    let from: SocketAddr = from.parse().unwrap();
    let request = Request::get("/v1/variant")
        .header("authorization", format!("Bearer {key}"))
        .extension(ClientAddress::from(from.ip()))
        .body(Body::empty());
    house.send(request.unwrap()).await
}

#[tokio::test]
async fn a_key_and_an_address_may_ask_so_much() {
    let house = strict().await;
    for _ in 0..3 {
        ask(&house, "192.0.2.7:1000", &house.key).await.expect_ok();
    }
    let refused = ask(&house, "192.0.2.7:1001", &house.key).await.expect_error(429, "rate_limited");
    let wait: u64 = refused.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&wait));
    ask(&house, "192.0.2.8:1000", &house.key).await.expect_error(429, "rate_limited");
    // Requests with unknown keys are counted by address.
    ask(&house, "192.0.2.7:1002", "guess-1").await.expect_error(401, "invalid_api_key");
    ask(&house, "192.0.2.7:1002", "guess-2").await.expect_error(429, "rate_limited");
}

#[tokio::test]
async fn this_machine_may_ask_as_it_likes() {
    let house = strict().await;
    for _ in 0..10 {
        ask(&house, "127.0.0.1:1000", &house.key).await.expect_ok();
        ask(&house, "[::1]:1000", &house.key).await.expect_ok();
    }
}
