//! Decisions, "Variants".

use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(
    an_organization_starts_with_variants,
    a_track_gets_a_variant_of_its_own,
    what_cannot_be_added_is_refused
);

async fn an_organization_starts_with_variants(database: TestDatabase) {
    let house = House::open(database).await;
    let listed = house.get("/v1/variant").await.expect_ok();
    assert_eq!(listed.keys(""), names("ok api_request_id count variants"));
    let variants = listed.json["variants"].as_array().unwrap();
    let indexes: Vec<&str> = variants.iter().map(|variant| variant["index"].as_str().unwrap()).collect();
    assert_eq!(indexes, ["hq", "lq", "preview", "levels", "original"]);
    assert_eq!(listed.keys("/variants/0/variant_type"), names("id viewer_id title"));
    assert_eq!((&variants[0]["codec"], &variants[0]["bitrate"]), (&json!("mp3"), &json!(256)));
    assert_eq!(variants[3]["num_samples"], 320);
    let id = variants[2]["id"].as_str().unwrap();
    let read = house.get(&format!("/v1/variant/{id}")).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id variant_id variant"));
    assert_eq!(read.json["variant"], variants[2]);
    let unknown = house.ambient.record_id::<tonearm_domain::VariantId>();
    house.get(&format!("/v1/variant/{unknown}")).await.expect_error(404, "variant_not_found");
}

async fn a_track_gets_a_variant_of_its_own(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let path = format!("/v1/track/{track}/variant");
    let body = json!({ "index": "mini", "variant_type_id": "transcode", "codec": "opus", "bitrate": 24 });
    let added = house.post(&path, body.clone()).await.expect_ok();
    assert_eq!(added.keys(""), names("ok api_request_id track_id variant_id job_id variant"));
    assert_eq!(added.json["variant"]["id"], added.json["variant_id"]);
    assert_eq!(added.json["variant"]["track_id"], *track);
    house.post(&path, body).await.expect_error(409, "already_exists");
    let hq = json!({ "index": "hq", "variant_type_id": "transcode" });
    house.post(&path, hq).await.expect_error(409, "already_exists");
    // The track is processing again, and then ready.
    let read = house.get(&format!("/v1/track/{track}")).await;
    assert_eq!(read.json["track"]["track_status_id"], "processing");
    house.run_jobs().await;
    let session = json!({ "track_id": track, "variants": ["mini"] });
    let session = house.post("/v1/play_session/track", session).await.expect_ok();
    let variant = &session.json["first_track"]["variants"][0];
    assert_eq!((&variant["variant"]["index"], &variant["props"]["codec"]), (&json!("mini"), &json!("opus")));
}

async fn what_cannot_be_added_is_refused(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let path = format!("/v1/track/{}/variant", created["track_id"].as_str().unwrap());
    let body = json!({ "index": "mini", "variant_type_id": "transcode" });
    house.post(&path, body).await.expect_error(422, "no_source");
    house.post(&path, Value::Null).await.expect_field("index");
    house.post(&path, json!({ "index": "a" })).await.expect_field("index");
    house.post(&path, json!({ "index": "ab" })).await.expect_field("variant_type_id");
    let levels = json!({ "index": "ab", "variant_type_id": "levels" });
    house.post(&path, levels).await.expect_field("variant_type_id");
    let loud = json!({ "index": "ab", "variant_type_id": "transcode", "bitrate": 321 });
    house.post(&path, loud).await.expect_field("bitrate");
    let fraction = json!({ "index": "ab", "variant_type_id": "transcode", "bitrate": 128.5 });
    house.post(&path, fraction).await.expect_field("bitrate");
    let unknown = house.ambient.record_id::<tonearm_domain::TrackId>();
    let body = json!({ "index": "mini", "variant_type_id": "transcode" });
    house.post(&format!("/v1/track/{unknown}/variant"), body).await.expect_error(404, "track_not_found");
}
