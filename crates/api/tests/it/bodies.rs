//! Decisions, "Conventions" and "Errors": the response says what is wrong with a request.

use axum::body::Body;
use http::Request;
use serde_json::json;
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;

on_both!(bad_bodies_are_told_apart, bad_ids_are_named, odd_but_legal_bodies_are_taken);

async fn bad_bodies_are_told_apart(database: TestDatabase) {
    let house = House::open(database).await;
    let send = async |content_type: Option<&str>, body: Vec<u8>| {
        let mut request =
            Request::post("/v1/collection").header("authorization", format!("Bearer {}", house.key));
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        house.send(request.body(Body::from(body)).unwrap()).await
    };
    let json = Some("application/json");
    let deep = format!("{{\"title\":{}", "[".repeat(10_000)).into_bytes();
    for bad in [b"{".to_vec(), b"[]".to_vec(), b"\"x\"".to_vec(), b"{\"title\":\"\xff\"}".to_vec()] {
        send(json, bad).await.expect_error(400, "malformed_json");
    }
    assert_eq!(send(json, deep).await.status, 400);
    send(json, b"{\"title\":7}".to_vec()).await.expect_field("title");
    send(json, b"{\"title\":\"x\",\"metadata\":7}".to_vec()).await.expect_field("metadata");
    send(json, b"{\"title\":\"a\\u0000\"}".to_vec()).await.expect_field("title");
    let large = json!({ "title": "x", "other": "x".repeat(2_000_000) }).to_string().into_bytes();
    send(json, large.clone()).await.expect_error(413, "too_large");
    let metadata = json!({ "title": "x", "metadata": { "a": "x".repeat(70_000) } }).to_string().into_bytes();
    send(json, metadata).await.expect_field("metadata");
    send(Some("text/plain"), b"{}".to_vec()).await.expect_error(415, "unsupported_media_type");
    send(None, b"{\"title\":\"x\"}".to_vec()).await.expect_ok();
    send(Some("application/json; charset=utf-8"), b"{\"title\":\"x\"}".to_vec()).await.expect_ok();
    // Without a Content-Length, the limit is detected while the body is read.
    let request = Request::post("/v1/collection").header("authorization", format!("Bearer {}", house.key));
    let chunks =
        large.chunks(100_000).map(|chunk| Ok::<_, std::io::Error>(chunk.to_vec())).collect::<Vec<_>>();
    let body = Body::from_stream(futures::stream::iter(chunks));
    house.send(request.body(body).unwrap()).await.expect_error(413, "too_large");
}

async fn bad_ids_are_named(database: TestDatabase) {
    let house = House::open(database).await;
    for (path, field) in [
        ("/v1/track/x", "track_id"),
        ("/v1/track/018f00000000700080000000000000001", "track_id"),
        ("/v1/collection/x/track", "collection_id"),
        ("/v1/organization/x", "organization_id"),
        ("/v1/creator/x", "creator_id"),
        ("/v1/variant/x", "variant_id"),
        ("/v1/play_session/x", "play_session_id"),
        ("/v1/play/x/y", "play_session_id"),
        ("/v1/play/018f0000-0000-4000-8000-000000000001/y", "play_track_id"),
        ("/v1/upload_session/x", "upload_session_id"),
        ("/v1/stream/x/y", "track_id"),
    ] {
        house.get(path).await.expect_field(field);
    }
    house.get("/v1/track/%ff").await.expect_error(400, "invalid_parameter");
    house
        .post("/v1/play_session/collection", json!({ "collection_id": "x" }))
        .await
        .expect_field("collection_id");
    house
        .post("/v1/play_session/collection", json!({ "collection_id": 7 }))
        .await
        .expect_field("collection_id");
}

async fn odd_but_legal_bodies_are_taken(database: TestDatabase) {
    let house = House::open(database).await;
    // Clients may send unknown fields, and null for fields that they leave out.
    let body = json!({
        "collection_id": house.collection_id, "file_name": "a.wav", "file_size": 7, "metadata": null,
        "player_title": null, "player_color": null, "creator_id": null, "is_cover_overridable": null,
    });
    let created = house.post("/v1/track", body).await.expect_ok();
    assert_eq!(created.json["track"]["metadata"], json!({}));
}
