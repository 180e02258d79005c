//! Decisions, "Conventions": how the service behaves as an HTTP server.

use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_api::ApiSettings;
use tonearm_fixtures::TestDatabase;

use crate::house::{House, local};
use crate::on_both;

on_both!(
    unknown_places_and_methods_are_errors_too,
    who_takes_no_json_is_told_so,
    every_page_may_call,
    head_is_get_without_a_body,
    request_ids_are_made_here,
    slow_requests_are_given_up,
);

async fn unknown_places_and_methods_are_errors_too(database: TestDatabase) {
    let house = House::open(database).await;
    for path in ["/", "/v1", "/v1/", "/v1/nothing", "/v2/track", "/upload", "/upload/x", "/v1/track/x/y/z"] {
        house.get(path).await.expect_error(404, "not_found");
    }
    let reply = house.post("/v1/usage", json!({})).await.expect_error(405, "method_not_allowed");
    assert_eq!(reply.header("allow"), Some("GET,HEAD"));
    let reply = house.put("/v1/upload_session", json!({})).await.expect_error(405, "method_not_allowed");
    assert_eq!(reply.header("allow"), Some("GET,HEAD,POST"));
    let created = house.create_track("a.wav").await;
    let url = created["track_upload"]["upload_url"].as_str().unwrap();
    house.get(local(url)).await.expect_error(405, "method_not_allowed");
}

async fn who_takes_no_json_is_told_so(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("a.wav").await;
    let share = house.key_of_type(tonearm_domain::KeyType::Share).await;
    let upload = house.create_track("b.wav").await;
    let upload = local(upload["track_upload"]["upload_url"].as_str().unwrap()).to_owned();
    let asked = |method: &str, path: &str, accept: &str| {
        let request = Request::builder().method(method).uri(path).header("accept", accept);
        request.header("authorization", format!("Bearer {}", house.key)).body(Body::empty()).unwrap()
    };
    for (method, path) in
        [("GET", format!("/v1/track/{track}")), ("POST", "/v1/track".to_owned()), ("PUT", upload)]
    {
        let reply = house.send(asked(method, &path, "audio/*, image/png")).await;
        reply.expect_error(406, "not_acceptable");
    }
    for accept in ["application/json", "*/*", "text/html, application/*;q=0.1"] {
        house.send(asked("GET", &format!("/v1/track/{track}"), accept)).await.expect_ok();
    }
    // A redirect has no body to be unacceptable, and players take only audio.
    assert_eq!(house.send(asked("GET", &format!("/v1/stream/{track}/{share}"), "audio/*")).await.status, 302);
    // An unknown path is reported whatever the client accepts.
    house.send(asked("GET", "/v1/nothing", "text/html")).await.expect_error(404, "not_found");
}

async fn every_page_may_call(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("a.wav").await;
    let upload = local(created["track_upload"]["upload_url"].as_str().unwrap()).to_owned();
    for (path, method) in [("/v1/track", "POST"), ("/v1/variant", "GET"), (upload.as_str(), "PUT")] {
        let preflight = Request::options(path)
            .header("origin", "https://player.example.org")
            .header("access-control-request-method", method)
            .header(
                "access-control-request-headers",
                "authorization,content-type,range,repr-digest,tus-resumable",
            );
        let reply = house.send(preflight.body(Body::empty()).unwrap()).await;
        assert_eq!(reply.status, 200);
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert_eq!(reply.header("access-control-max-age"), Some("86400"));
        assert!(reply.header("access-control-allow-methods").unwrap().contains(method));
        let allowed = reply.header("access-control-allow-headers").unwrap();
        for header in [
            "authorization",
            "content-type",
            "range",
            "repr-digest",
            "content-md5",
            "idempotency-key",
            "upload-offset",
        ] {
            assert!(allowed.split(',').any(|allowed| allowed.trim() == header), "{header}");
        }
    }
    // Pages of any origin can read errors too.
    let request = Request::get("/v1/variant").header("origin", "https://player.example.org");
    let reply = house.send(request.body(Body::empty()).unwrap()).await.expect_error(401, "missing_api_key");
    assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
    let exposed = reply.header("access-control-expose-headers").unwrap();
    for header in ["content-range", "accept-ranges", "content-length", "etag", "location", "x-request-id"] {
        assert!(exposed.split(',').any(|exposed| exposed.trim() == header), "{header}");
    }
}

async fn head_is_get_without_a_body(database: TestDatabase) {
    let house = House::open(database).await;
    let reply = house.call(Method::HEAD, "/v1/variant", Value::Null).await;
    assert_eq!((reply.status.as_u16(), &reply.json), (200, &Value::Null));
    assert_eq!(house.call_as("", Method::HEAD, "/v1/variant", Value::Null).await.status, 401);
}

async fn request_ids_are_made_here(database: TestDatabase) {
    let house = House::open(database).await;
    let own = "018f0000-0000-4000-8000-000000000001";
    let request = || {
        let request = Request::get("/v1/variant").header("x-request-id", own);
        request.header("authorization", format!("Bearer {}", house.key)).body(Body::empty()).unwrap()
    };
    let (one, other) = (house.send(request()).await, house.send(request()).await);
    assert_ne!(one.header("x-request-id"), Some(own));
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    assert_eq!(one.json["api_request_id"], *one.header("x-request-id").unwrap());
}

async fn slow_requests_are_given_up(database: TestDatabase) {
    let settings = ApiSettings { request_timeout: Duration::from_millis(20), ..ApiSettings::default() };
    let house = House::open(database).await.with(settings);
    let request = Request::post("/v1/collection").header("authorization", format!("Bearer {}", house.key));
    let never = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
    let reply = house.send(request.body(never).unwrap()).await.expect_error(503, "timeout");
    assert_eq!(reply.header("retry-after"), Some("5"));
}

#[tokio::test]
async fn without_a_database_the_service_is_unavailable() {
    let mut house = House::open(TestDatabase::postgres().await).await;
    house.lose_database();
    let reply = house.get("/v1/variant").await.expect_error(503, "unavailable");
    assert_eq!(reply.header("retry-after"), Some("5"));
    assert!(!reply.json.to_string().contains("postgres"));
}
