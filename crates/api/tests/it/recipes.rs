//! The organization's recipes: added, changed, ordered, rendered and removed over the interface.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::{Reply, names};

on_both!(
    a_recipe_counts_for_what_is_uploaded_next,
    every_type_of_recipe_can_be_added,
    a_recipe_is_changed_setting_by_setting,
    what_no_recipe_is_is_refused,
    recipes_have_an_order,
    a_recipe_is_rendered_for_existing_tracks,
    a_removed_recipe_is_gone_at_once,
    recipes_of_tracks_are_not_the_organizations,
    recipes_are_for_whoever_has_everything,
    recipes_are_bounded,
    settings_that_change_at_once_are_all_kept,
);

const NOTHING: &str = "018f0000-0000-7000-8000-000000000001";

async fn added(house: &House, body: Value) -> String {
    let created = house.post("/v1/variant", body).await.expect_ok();
    created.json["variant_id"].as_str().unwrap().to_owned()
}

/// Index and id of each recipe, in order.
async fn listed(house: &House) -> Vec<(String, String)> {
    let list = house.get("/v1/variant?limit=200").await.expect_ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    list.json["variants"].as_array().unwrap().iter().map(|v| (text(&v["index"]), text(&v["id"]))).collect()
}

async fn indexes(house: &House) -> Vec<String> {
    listed(house).await.into_iter().map(|(index, _)| index).collect()
}

/// The variants that a play session lists for a track.
async fn played(house: &House, track: &str) -> Vec<String> {
    let session = house.post("/v1/play_session/track", json!({ "track_id": track })).await.expect_ok();
    let variants = session.json["first_track"]["variants"].as_array().unwrap();
    variants.iter().map(|v| v["variant"]["index"].as_str().unwrap().to_owned()).collect()
}

async fn a_recipe_counts_for_what_is_uploaded_next(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "index": "opus", "variant_type_id": "transcode", "codec": "opus", "bitrate": 32.0 });
    let created = house.post("/v1/variant", body.clone()).await.expect_ok();
    assert_eq!(created.keys(""), names("ok api_request_id variant_id variant"));
    let variant = &created.json["variant"];
    assert_eq!(
        (&variant["bitrate"], &variant["cache"], &variant["track_id"]),
        (&json!(32), &json!("private"), &Value::Null)
    );
    let read = house.get(&format!("/v1/variant/{}", variant["id"].as_str().unwrap())).await.expect_ok();
    assert_eq!(read.json["variant"], *variant);
    assert_eq!(indexes(&house).await, ["hq", "lq", "preview", "levels", "original", "opus"]);
    house.post("/v1/variant", body).await.expect_error(409, "already_exists");
    let track = house.ready_track("Song.wav").await;
    assert_eq!(played(&house, &track).await, ["hq", "lq", "preview", "opus"]);
    assert_eq!(house.audited("variant").await, [("variant.create".to_owned(), "opus".to_owned())]);
}

async fn every_type_of_recipe_can_be_added(database: TestDatabase) {
    let house = House::open(database).await;
    for (at, (recipe_type, settings)) in [
        ("transcode", json!({ "codec": "flac", "loudness_target": -16, "is_strip_tags": false })),
        ("preview", json!({ "preview_type": "percent", "preview_percent": 10, "codec": "wav" })),
        ("levels", json!({ "format": "audiowaveform_dat", "bits": 16, "samples_per_pixel": 512 })),
        ("levels", json!({ "num_samples": 100, "metric": "rms" })),
        ("waveform_image", json!({ "width": 640, "height": 81, "color": "#ff0000", "background": null })),
        ("waveform_video", json!({ "width": 320, "frame_rate": 5, "has_sound": false })),
        ("original", json!({})),
        ("cover", json!({ "size": "icon" })),
    ]
    .into_iter()
    .enumerate()
    {
        let mut body =
            json!({ "index": format!("v{at}"), "variant_type_id": recipe_type, "cache": "public" });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        let created = house.post("/v1/variant", body).await.expect_ok();
        let variant = &created.json["variant"];
        assert_eq!((&variant["variant_type_id"], &variant["cache"]), (&json!(recipe_type), &json!("public")));
        for (name, value) in settings.as_object().unwrap() {
            assert_eq!(variant[name].as_f64(), value.as_f64(), "{name} of {variant}");
            assert!(value.is_number() || variant[name] == *value, "{name} of {variant}");
        }
        // A whole record can be sent back.
        let path = format!("/v1/variant/{}", variant["id"].as_str().unwrap());
        let same = house.put(&path, variant.clone()).await.expect_ok();
        assert_eq!(same.json["variant"], *variant);
    }
}

async fn a_recipe_is_changed_setting_by_setting(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({
        "index": "loud", "variant_type_id": "transcode", "codec": "mp3", "bitrate": 96, "loudness_target": -14,
    });
    let path = format!("/v1/variant/{}", added(&house, body).await);
    let changed = house.put(&path, json!({ "bitrate": 112, "index": "quiet", "cache": "public" })).await;
    let changed = changed.expect_ok();
    assert_eq!(changed.keys(""), names("ok api_request_id variant_id variant"));
    let variant = &changed.json["variant"];
    let told = (
        &variant["index"],
        &variant["codec"],
        &variant["bitrate"],
        &variant["loudness_target"],
        &variant["cache"],
    );
    assert_eq!(told, (&json!("quiet"), &json!("mp3"), &json!(112), &json!(-14.0), &json!("public")));
    // Null restores the default.
    let changed = house.put(&path, json!({ "loudness_target": null, "codec": null })).await.expect_ok();
    let variant = &changed.json["variant"];
    assert_eq!((&variant["loudness_target"], &variant["codec"]), (&Value::Null, &json!("aac")));
    assert_eq!((&variant["bitrate"], &variant["cache"]), (&json!(112), &json!("public")));
    house.put(&path, json!({})).await.expect_ok();
    house.put(&path, json!({ "index": "hq" })).await.expect_error(409, "already_exists");
    house.put(&path, json!({ "variant_type_id": "preview" })).await.expect_field("variant_type_id");
    house.put(&path, json!({ "bitrate": 321 })).await.expect_field("bitrate");
    for field in ["index", "variant_type_id", "cache"] {
        house.put(&path, json!({ field: null })).await.expect_field(field);
    }
    house.put(&format!("/v1/variant/{NOTHING}"), json!({})).await.expect_error(404, "variant_not_found");
}

async fn what_no_recipe_is_is_refused(database: TestDatabase) {
    let house = House::open(database).await;
    house.post("/v1/variant", Value::Null).await.expect_field("index");
    house.post("/v1/variant", json!({ "index": "ab" })).await.expect_field("variant_type_id");
    for (settings, field) in [
        (json!({ "index": "A" }), "index"),
        (json!({ "variant_type_id": "song" }), "variant_type_id"),
        (json!({ "cache": "everybody" }), "cache"),
        (json!({ "codec": "mp2" }), "codec"),
        (json!({ "bitrate": 128.5 }), "bitrate"),
        (json!({ "bitrate": 70000 }), "bitrate"),
        (json!({ "bitrate": "128" }), "bitrate"),
        (json!({ "loudness_target": 0 }), "loudness_target"),
        (json!({ "is_stereo": 2 }), "is_stereo"),
        (json!({ "variant_type_id": "preview", "preview_type": "all" }), "preview_type"),
        (json!({ "variant_type_id": "levels", "format": "mp3" }), "format"),
        (json!({ "variant_type_id": "levels", "bits": 12 }), "bits"),
        (json!({ "variant_type_id": "waveform_image", "color": "red" }), "color"),
        (json!({ "variant_type_id": "waveform_video", "width": 65 }), "width"),
        (json!({ "variant_type_id": "cover", "size": "huge" }), "size"),
    ] {
        let mut body = json!({ "index": "ab", "variant_type_id": "transcode" });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        house.post("/v1/variant", body).await.expect_field(field);
    }
    assert_eq!(indexes(&house).await.len(), 5);
}

async fn recipes_have_an_order(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let mut ids: Vec<String> = listed(&house).await.into_iter().map(|(_, id)| id).collect();
    ids.reverse();
    let order = async |ids: Value| house.put("/v1/variant/order", json!({ "variant_ids": ids })).await;
    let ordered = order(json!(ids)).await.expect_ok();
    assert_eq!(ordered.keys(""), names("ok api_request_id count variants"));
    assert_eq!(indexes(&house).await, ["original", "levels", "preview", "lq", "hq"]);
    assert_eq!(house.get("/v1/variant").await.json["variants"], ordered.json["variants"]);
    // Of existing tracks, too.
    assert_eq!(played(&house, &track).await, ["preview", "lq", "hq"]);
    let later = house.ready_track("Later.wav").await;
    assert_eq!(played(&house, &later).await, ["preview", "lq", "hq"]);
    // The recipe in the middle keeps its place.
    assert_eq!(house.audited("variant.update").await.len(), 4);
    order(Value::Null).await.expect_field("variant_ids");
    order(json!([])).await.expect_field("variant_ids");
    order(json!(ids[1..])).await.expect_field("variant_ids");
    order(json!([&ids[..], &ids[..1]].concat())).await.expect_field("variant_ids");
    order(json!([&ids[1..], &ids[1..2]].concat())).await.expect_field("variant_ids");
    order(json!([&ids[1..], &[NOTHING.to_owned()]].concat())).await.expect_field("variant_ids");
    assert_eq!(indexes(&house).await, ["original", "levels", "preview", "lq", "hq"]);
    // An added recipe comes last.
    added(&house, json!({ "index": "last", "variant_type_id": "cover" })).await;
    assert_eq!(indexes(&house).await.last().map(String::as_str), Some("last"));
}

async fn a_recipe_is_rendered_for_existing_tracks(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let id = added(&house, json!({ "index": "late", "variant_type_id": "transcode" })).await;
    house.run_jobs().await;
    assert!(!played(&house, &track).await.contains(&"late".to_owned()));
    let path = format!("/v1/variant/{id}/rendering");
    house.get(&path).await.expect_error(404, "rendering_not_found");
    let begun = house.post(&path, Value::Null).await.expect_ok();
    assert_eq!(begun.keys(""), names("ok api_request_id variant_id rendering"));
    assert_eq!(begun.keys("/rendering"), names("percent total done failed started_at finished_at"));
    assert_eq!(
        (&begun.json["rendering"]["percent"], &begun.json["rendering"]["total"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(house.get(&path).await.expect_ok().json["rendering"], begun.json["rendering"]);
    house.run_jobs().await;
    let done = house.get(&path).await.expect_ok();
    assert_eq!(done.keys(""), names("ok api_request_id variant_id rendering"));
    assert_eq!(
        (&done.json["rendering"]["percent"], &done.json["rendering"]["done"]),
        (&json!(100), &json!(1))
    );
    assert!(done.json["rendering"]["finished_at"].is_string());
    assert!(played(&house, &track).await.contains(&"late".to_owned()));
    let unknown = format!("/v1/variant/{NOTHING}/rendering");
    house.get(&unknown).await.expect_error(404, "variant_not_found");
    house.post(&unknown, Value::Null).await.expect_error(404, "variant_not_found");
}

async fn a_removed_recipe_is_gone_at_once(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let (_, hq) = listed(&house).await.remove(0);
    let path = format!("/v1/variant/{hq}");
    let deleted = house.delete(&path).await.expect_ok();
    assert_eq!(deleted.keys(""), names("ok api_request_id variant_id deleted_variant"));
    assert_eq!(deleted.json["deleted_variant"]["index"], "hq");
    assert_eq!(played(&house, &track).await, ["lq", "preview"]);
    for reply in [
        house.get(&path).await,
        house.put(&path, json!({})).await,
        house.delete(&path).await,
        house.post(&format!("{path}/rendering"), Value::Null).await,
    ] {
        reply.expect_error(404, "variant_not_found");
    }
    added(&house, json!({ "index": "hq", "variant_type_id": "transcode" })).await;
    house.run_jobs().await;
    assert_eq!(indexes(&house).await, ["lq", "preview", "levels", "original", "hq"]);
}

async fn recipes_of_tracks_are_not_the_organizations(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let body = json!({ "index": "own", "variant_type_id": "preview" });
    let own = house.post(&format!("/v1/track/{track}/variant"), body.clone()).await.expect_ok();
    let path = format!("/v1/variant/{}", own.json["variant_id"].as_str().unwrap());
    house.get(&path).await.expect_ok();
    for reply in [
        house.put(&path, json!({ "bitrate": 64 })).await,
        house.delete(&path).await,
        house.post(&format!("{path}/rendering"), Value::Null).await,
        house.get(&format!("{path}/rendering")).await,
    ] {
        reply.expect_error(404, "variant_not_found");
    }
    house.post("/v1/variant", body).await.expect_error(409, "already_exists");
}

/// Changing the recipe of `preview` would give access to whole tracks.
async fn recipes_are_for_whoever_has_everything(database: TestDatabase) {
    let house = House::open(database).await;
    let limited = house.key_to_variant("preview").await;
    let recipes = listed(&house).await;
    let preview = format!("/v1/variant/{}", recipes[2].1);
    let ids: Vec<&String> = recipes.iter().map(|(_, id)| id).collect();
    for (method, path, body) in [
        (Method::POST, "/v1/variant", json!({ "index": "ab", "variant_type_id": "transcode" })),
        (Method::PUT, &*preview, json!({ "preview_max_percent": 100 })),
        (Method::DELETE, &*preview, Value::Null),
        (Method::PUT, "/v1/variant/order", json!({ "variant_ids": ids })),
        (Method::POST, &*format!("{preview}/rendering"), Value::Null),
    ] {
        house.call_as(&limited, method, path, body).await.expect_error(403, "key_limits");
    }
    house.call_as(&limited, Method::GET, &preview, Value::Null).await.expect_ok();
    assert_eq!(house.audited("variant").await, []);
}

async fn recipes_are_bounded(database: TestDatabase) {
    let house = House::open(database).await;
    for at in 5..200 {
        added(&house, json!({ "index": format!("v{at}"), "variant_type_id": "original" })).await;
    }
    let more = json!({ "index": "more", "variant_type_id": "original" });
    house.post("/v1/variant", more).await.expect_error(409, "too_many_variants");
}

async fn settings_that_change_at_once_are_all_kept(database: TestDatabase) {
    let house = House::open(database).await;
    let path = format!("/v1/variant/{}", listed(&house).await[0].1);
    let changes = [
        json!({ "bitrate": 64 }),
        json!({ "is_stereo": false }),
        json!({ "is_strip_tags": false }),
        json!({ "cache": "public" }),
    ];
    let replies: Vec<Reply> =
        futures::future::join_all(changes.iter().map(|change| house.put(&path, change.clone()))).await;
    replies.into_iter().for_each(|reply| drop(reply.expect_ok()));
    let variant = house.get(&path).await.expect_ok().json["variant"].clone();
    for change in changes {
        for (name, value) in change.as_object().unwrap() {
            assert_eq!(variant[name], *value, "{name}");
        }
    }
}
