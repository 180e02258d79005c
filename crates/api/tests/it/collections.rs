//! Decisions, "Also served": collections.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

const COLLECTION: &str =
    "id organization_id creator_id organization_index title metadata theme is_cover_overridable
    is_theme_overridable player_color player_color_light player_color_dark player_subtitle";

on_both!(a_collection_lives_and_dies, a_scope_is_the_horizon);

async fn a_collection_lives_and_dies(database: TestDatabase) {
    let house = House::open(database).await;
    house.post("/v1/collection", Value::Null).await.expect_field("title");
    house.post("/v1/collection", json!({ "title": " " })).await.expect_field("title");
    let body = json!({ "title": "Season 1", "player_color": "#123456", "metadata": { "a": 1 } });
    let created = house.post("/v1/collection", body).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id collection_id collection collection_cover_upload"));
    assert_eq!(created.keys("/collection"), names(COLLECTION));
    assert_eq!(created.keys("/collection_cover_upload"), names("method upload_url ttl expires_at"));
    assert_eq!(created.json["collection"]["player_color"], "#123456");
    let id = created.json["collection_id"].as_str().unwrap();
    let path = format!("/v1/collection/{id}");
    assert_eq!(house.get(&path).await.expect_ok().json["collection"], created.json["collection"]);
    let updated = house.put(&path, json!({ "title": "Season 2", "player_color": null })).await.expect_ok();
    assert_eq!(updated.keys(""), names("ok api_request_id collection_id collection"));
    assert_eq!(updated.json["collection"]["title"], "Season 2");
    assert_eq!(updated.json["collection"]["player_color_light"], Value::Null);
    house.put(&path, json!({ "title": null })).await.expect_field("title");
    let listed = house.get("/v1/collection?limit=1").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count collections"));
    assert_eq!((&listed.json["count"], listed.json["collections"].as_array().unwrap().len()), (&json!(2), 1));

    let track =
        house.post("/v1/track", json!({ "collection_id": id, "file_name": "a.wav" })).await.expect_ok();
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id collection_id deleted_collection"));
    house.get(&path).await.expect_error(404, "collection_not_found");
    let track = format!("/v1/track/{}", track.json["track_id"].as_str().unwrap());
    house.get(&track).await.expect_error(404, "track_not_found");
}

async fn a_scope_is_the_horizon(database: TestDatabase) {
    let house = House::open(database).await;
    let other = house.create_collection("Other").await;
    let key = house.key_to_collection(&other).await;
    let listed = house.call_as(&key, Method::GET, "/v1/collection", Value::Null).await.expect_ok();
    assert_eq!((&listed.json["count"], &listed.json["collections"][0]["id"]), (&json!(1), &json!(other)));
    let path = format!("/v1/collection/{}", house.collection_id);
    for method in [Method::GET, Method::PUT, Method::DELETE] {
        house.call_as(&key, method, &path, Value::Null).await.expect_error(404, "collection_not_found");
    }
    let create = house.call_as(&key, Method::POST, "/v1/collection", json!({ "title": "x" })).await;
    create.expect_error(403, "key_scope");
}
