//! Decisions, "Also served": creators.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

const CREATOR: &str = "id organization_id folder_id organization_index metadata created_at updated_at";

on_both!(
    a_creator_lives_and_dies,
    creators_are_the_organization_s,
    records_are_found_by_every_id_that_they_can_have,
);

async fn a_creator_lives_and_dies(database: TestDatabase) {
    let house = House::open(database).await;
    house.post("/v1/creator", Value::Null).await.expect_field("organization_index");
    let created = house.post("/v1/creator", json!({ "organization_index": "u-1" })).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id creator_id creator"));
    assert_eq!(created.keys("/creator"), names(CREATOR));
    let path = format!("/v1/creator/{}", created.json["creator_id"].as_str().unwrap());
    assert_eq!(house.get(&path).await.expect_ok().json["creator"], created.json["creator"]);
    house.clock.advance_seconds(1);
    let updated = house.put(&path, json!({ "metadata": { "a": 1 } })).await.expect_ok();
    assert_eq!(updated.json["creator"]["metadata"], json!({ "a": 1 }));
    assert_eq!(updated.json["creator"]["created_at"], "2030-01-01T00:00:00.000Z");
    assert_eq!(updated.json["creator"]["updated_at"], "2030-01-01T00:00:01.000Z");
    house.put(&path, json!({ "organization_index": null })).await.expect_field("organization_index");
    house.clock.advance_seconds(1);
    for unchanged in [json!({}), updated.json["creator"].clone()] {
        let same = house.put(&path, unchanged).await.expect_ok();
        assert_eq!(same.json["creator"], updated.json["creator"], "nothing was changed");
    }
    let listed = house.get("/v1/creator").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count creators"));
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id creator_id deleted_creator"));
    house.get(&path).await.expect_error(404, "creator_not_found");
}

async fn records_are_found_by_every_id_that_they_can_have(database: TestDatabase) {
    let house = House::open(database).await;
    let collection = &house.collection_id;
    let track = json!({ "collection_id": collection, "file_name": "a.wav" });
    let track_id = house.post("/v1/track", track.clone()).await.expect_ok().json["track_id"].clone();
    let session = house.post("/v1/upload_session", json!({ "collection_id": collection })).await.expect_ok();
    let session = session.json["upload_session_id"].as_str().unwrap();
    house.get("/v1/track?organization_index=%20").await.expect_field("organization_index");
    let none = json!({ "collection_id": collection, "file_name": "a.wav", "organization_index": "" });
    house.post("/v1/track", none).await.expect_ok();
    house.post("/v1/creator", json!({ "organization_index": "" })).await.expect_field("organization_index");
    for blank in [" ", "\u{2003}\n"] {
        let with = |mut body: Value| {
            body["organization_index"] = json!(blank);
            body
        };
        for (path, body) in [
            ("/v1/creator", json!({})),
            ("/v1/collection", json!({ "title": "A" })),
            ("/v1/track", track.clone()),
            ("/v1/upload_session", json!({ "collection_id": collection })),
            (&format!("/v1/upload/{session}/track"), json!({ "file_name": "a.wav" })),
            ("/v1/play_session/collection", json!({ "collection_id": collection })),
        ] {
            house.post(path, with(body)).await.expect_field("organization_index");
        }
        for path in
            [format!("/v1/track/{}", track_id.as_str().unwrap()), format!("/v1/collection/{collection}")]
        {
            house.put(&path, with(json!({}))).await.expect_field("organization_index");
        }
    }
}

async fn creators_are_the_organization_s(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.post("/v1/creator", json!({ "organization_index": "u-1" })).await.expect_ok();
    let path = format!("/v1/creator/{}", created.json["creator_id"].as_str().unwrap());
    let neighbour = house.neighbour().await;
    house.call_as(&neighbour, Method::GET, &path, Value::Null).await.expect_error(404, "creator_not_found");
    let scoped = house.key_to_collection(&house.collection_id).await;
    house.call_as(&scoped, Method::GET, &path, Value::Null).await.expect_error(403, "key_scope");
}
