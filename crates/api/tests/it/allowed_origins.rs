//! Keys that may be used only from pages of certain origins.

use axum::body::Body;
use http::Request;
use serde_json::{Value, json};
use tonearm_domain::{AllowedOrigins, KeyType};
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;

use crate::house::House;
use crate::on_both;

on_both!(pages_of_other_origins_are_refused, lists_of_origins_have_rules, a_key_gives_no_other_origins);

const SITE: &str = "https://www.example.com";

async fn pages_of_other_origins_are_refused(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "title": "Site", "api_key_type_id": "player", "allowed_origins": [SITE] });
    let made = house.post("/v1/api_key", body).await.expect_ok();
    let (id, key) = (made.json["api_key_id"].as_str().unwrap(), made.json["api_key"].as_str().unwrap());
    assert_eq!(made.json["api_key_record"]["allowed_origins"], json!([SITE]));
    let play = async |origin: Option<&str>| {
        let mut request = Request::post("/v1/play_session/collection")
            .header("authorization", format!("Bearer {key}"))
            .header("content-type", "application/json");
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let body = json!({ "collection_id": house.collection_id }).to_string();
        house.send(request.body(Body::from(body)).unwrap()).await
    };
    for origin in [None, Some(SITE)] {
        play(origin).await.expect_ok();
    }
    for origin in ["https://evil.example", "http://www.example.com", "https://www.example.com:8443", "null"] {
        let refused = play(Some(origin)).await;
        refused.expect_error(403, "origin_not_allowed");
    }
    // The change applies at once, even to a key that was used a moment ago.
    let path = format!("/v1/api_key/{id}");
    house.put(&path, json!({ "allowed_origins": ["https://other.example"] })).await.expect_ok();
    play(Some(SITE)).await.expect_error(403, "origin_not_allowed");
    let record = house.put(&path, json!({ "allowed_origins": null })).await.expect_ok();
    assert_eq!(record.json["api_key_record"]["allowed_origins"], Value::Null);
    play(Some("https://evil.example")).await.expect_ok();
}

async fn lists_of_origins_have_rules(database: TestDatabase) {
    let house = House::open(database).await;
    let many: Vec<String> = (0..21).map(|number| format!("https://a{number}.example")).collect();
    let create = |key_type: &str, origins: Value| json!({ "title": "Site", "api_key_type_id": key_type, "variants": ["hq"], "allowed_origins": origins });
    for (key_type, origins) in [("player", json!([])), ("player", json!(many)), ("share", json!([SITE]))] {
        let refused = house.post("/v1/api_key", create(key_type, origins.clone())).await;
        refused.expect_field("allowed_origins");
    }
    for wrong in ["*", "example.com", "https://example.com/page", "https://*.example.com"] {
        let refused = house.post("/v1/api_key", create("player", json!([wrong]))).await;
        refused.expect_field("allowed_origins[0]");
    }
    let made = house.post("/v1/api_key", create("player", json!(["HTTPS://Example.com:443/", SITE]))).await;
    let made = made.expect_ok();
    assert_eq!(made.json["api_key_record"]["allowed_origins"], json!(["https://example.com", SITE]));
    let path = format!("/v1/api_key/{}", made.json["api_key_id"].as_str().unwrap());
    house.put(&path, json!({ "allowed_origins": [] })).await.expect_field("allowed_origins");
}

async fn a_key_gives_no_other_origins(database: TestDatabase) {
    let house = House::open(database).await;
    let allowed_origins = AllowedOrigins::from_list(Some(vec![SITE.parse().unwrap()])).unwrap();
    let limited = CreateKey { allowed_origins, ..CreateKey::new(KeyType::Api, "Limited") };
    let limited = house.key(limited).await;
    let create = async |origins: Value| {
        let body = json!({ "title": "Site", "api_key_type_id": "player", "allowed_origins": origins });
        house.call_as(&limited, http::Method::POST, "/v1/api_key", body).await
    };
    create(Value::Null).await.expect_error(403, "key_limits");
    create(json!([SITE, "https://other.example"])).await.expect_error(403, "key_limits");
    let made = create(json!([SITE])).await.expect_ok();
    let path = format!("/v1/api_key/{}", made.json["api_key_id"].as_str().unwrap());
    let body = json!({ "allowed_origins": null });
    house.call_as(&limited, http::Method::PUT, &path, body).await.expect_error(403, "key_limits");
}
