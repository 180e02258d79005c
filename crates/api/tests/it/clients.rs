//! Clients that use fields without a null check: they print the codec in capitals, and the bitrate and the title of
//! every entry that they list.

use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;

on_both!(
    everything_listed_can_be_printed,
    lists_of_variants_are_pages,
    the_sentence_of_a_missing_key_names_the_setting,
    downloads_are_told_apart_by_name,
    a_session_keeps_what_the_caller_notes,
    a_folder_has_a_uuid,
);

/// Every type of recipe, lossless codecs included, and the codec that clients print for its file.
const RECIPES: [(&str, &str, &str); 9] = [
    ("flac", r#"{"variant_type_id":"transcode","codec":"flac"}"#, "FLAC"),
    ("wav", r#"{"variant_type_id":"transcode","codec":"wav"}"#, "WAV"),
    ("small", r#"{"variant_type_id":"transcode","codec":"opus","bitrate":24}"#, "OPUS"),
    ("part", r#"{"variant_type_id":"preview","preview_type":"percent","codec":"flac"}"#, "FLAC"),
    ("peaks", r#"{"variant_type_id":"levels","format":"audiowaveform_json"}"#, "JSON"),
    ("image", r#"{"variant_type_id":"waveform_image","width":64,"height":32}"#, "PNG"),
    ("video", r#"{"variant_type_id":"waveform_video","width":64,"height":64,"frame_rate":1}"#, "H264"),
    ("art", r#"{"variant_type_id":"cover","size":"small"}"#, "JPEG"),
    ("upload", r#"{"variant_type_id":"original"}"#, "PCM_S16LE"),
];

/// The codec and the bitrate that clients print for an entry of a list of variants.
fn printed(variant: &Value) -> (String, u64) {
    let props = &variant["props"];
    for field in ["is_stereo", "is_strip_tags", "is_strip_cover"] {
        assert!(props[field].is_boolean(), "{field} of {variant}");
    }
    for field in ["name", "type", "format"] {
        assert!(!variant["variant"][field].as_str().unwrap().is_empty(), "{field} of {variant}");
    }
    (props["codec"].as_str().unwrap().to_uppercase(), props["bitrate"].as_u64().unwrap())
}

async fn everything_listed_can_be_printed(database: TestDatabase) {
    let house = House::open(database).await;
    for (index, kind, _) in RECIPES {
        house.add_recipe(index, serde_json::from_str(kind).unwrap()).await;
    }
    let track = house.ready_track("A Song.wav").await;
    let names: Vec<&str> = RECIPES.iter().map(|(index, ..)| *index).collect();
    let body = json!({ "track_id": track, "variants": names });
    let session = house.post("/v1/play_session/track", body).await.expect_ok();
    let first = &session.json["first_track"];
    let variants = first["variants"].as_array().unwrap();
    assert_eq!(variants.len(), RECIPES.len(), "{first}");
    for (variant, (index, kind, codec)) in variants.iter().zip(RECIPES) {
        assert_eq!(variant["variant"]["index"], index);
        let (printed, bitrate) = printed(variant);
        assert_eq!(printed, codec, "{index}");
        let is_sound = ["transcode", "preview", "original"].iter().any(|kind_id| kind.contains(kind_id));
        assert_eq!(bitrate > 0, is_sound, "{index}: {bitrate} kbit/s");
    }
    // A second of mono sound at 22,050 Hz and 16 bits, and some bytes of header.
    let wav = printed(&variants[1]).1;
    assert!((353..360).contains(&wav), "{wav} kbit/s");

    for title in [&session.json["tracks"][0]["player_title"], &first["track"]["player_title"]] {
        assert_eq!(title, "A Song");
    }
    let recipes = house.get("/v1/variant?limit=200").await.expect_ok();
    for recipe in recipes.json["variants"].as_array().unwrap() {
        for field in ["name", "type", "format"] {
            assert!(recipe[field].is_string(), "{field} of {recipe}");
        }
    }
}

async fn lists_of_variants_are_pages(database: TestDatabase) {
    let house = House::open(database).await;
    let page = house.get("/v1/variant?limit=2&offset=1").await.expect_ok();
    let indexes: Vec<&Value> =
        page.json["variants"].as_array().unwrap().iter().map(|variant| &variant["index"]).collect();
    assert_eq!((indexes, &page.json["count"]), (vec![&json!("lq"), &json!("preview")], &json!(5)));
    for bad in ["limit=0", "limit=201", "limit=x"] {
        house.get(&format!("/v1/variant?{bad}")).await.expect_field("limit");
    }
    house.get("/v1/variant?offset=-1").await.expect_field("offset");
}

async fn the_sentence_of_a_missing_key_names_the_setting(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "collection_id": house.collection_id });
    let session = house.post("/v1/play_session/collection", body).await.expect_ok();
    let path = format!("/v1/play_session/{}", session.json["play_session_id"].as_str().unwrap());
    let refused = house.get_open(&path).await.expect_error(401, "missing_api_key");
    assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
    let message = refused.json["message"].as_str().unwrap();
    assert!(message.contains("api.public_play_sessions"), "{message}");
    // The message does not suggest that setting for other endpoints, where it has no effect.
    let refused = house.call_as("", Method::GET, "/v1/variant", Value::Null).await;
    let refused = refused.expect_error(401, "missing_api_key");
    assert!(!refused.json["message"].as_str().unwrap().contains("public_play_sessions"));
}

async fn downloads_are_told_apart_by_name(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let names_of = async |variants: &[&str]| -> Vec<String> {
        let body = json!({ "track_id": track, "variants": variants, "is_downloadable": true });
        let session = house.post("/v1/play_session/track", body).await.expect_ok();
        let id = session.json["play_session_id"].as_str().unwrap();
        let mut saved = Vec::new();
        for variant in session.json["first_track"]["variants"].as_array().unwrap() {
            let index = variant["variant"]["index"].as_str().unwrap();
            let path = format!("/v1/play/{id}/{track}/{index}/download");
            let download = house.get_open(&path).await.expect_ok();
            let url = download.json["download"]["url"].as_str().unwrap().to_owned();
            let (path, query) = url.split_once(".com").unwrap().1.split_once('?').unwrap();
            let grant = house.signer.verify_delivery(path, Some(query), house.ambient.now()).unwrap();
            assert_eq!(grant.attachment.as_deref(), variant["file_name"].as_str());
            saved.push(grant.attachment.unwrap());
        }
        saved
    };
    assert_eq!(names_of(&["hq"]).await, ["Song.mp3"]);
    assert_eq!(names_of(&["lq", "preview"]).await, ["Song.mp3", "Song (preview).mp3"]);
    assert_eq!(names_of(&["preview", "lq", "hq"]).await, ["Song (preview).mp3", "Song (lq).mp3", "Song.mp3"]);
    assert_eq!(names_of(&["hq", "original"]).await, ["Song (hq).mp3", "Song.wav"]);
}

async fn a_session_keeps_what_the_caller_notes(database: TestDatabase) {
    let house = House::open(database).await;
    let noted = json!({ "a": [1, "ä"] });
    let body =
        json!({ "collection_id": house.collection_id, "organization_index": "visit-7", "metadata": noted });
    let session = house.post("/v1/play_session/collection", body).await.expect_ok();
    let path = format!("/v1/play_session/{}", session.json["play_session_id"].as_str().unwrap());
    for reply in [session, house.get(&path).await.expect_ok()] {
        let session = &reply.json["play_session"];
        assert_eq!((&session["organization_index"], &session["metadata"]), (&json!("visit-7"), &noted));
    }
    let body = json!({ "collection_id": house.collection_id });
    let session = house.post("/v1/play_session/collection", body).await.expect_ok();
    let session = &session.json["play_session"];
    assert_eq!((&session["organization_index"], &session["metadata"]), (&Value::Null, &json!({})));
    let player = house.key_of_type(KeyType::Player).await;
    let body = json!({ "collection_id": house.collection_id, "metadata": [] });
    let refused = house.call_as(&player, Method::POST, "/v1/play_session/collection", body).await;
    refused.expect_field("metadata");
}

async fn a_folder_has_a_uuid(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.post("/v1/creator", json!({ "organization_index": "u-1" })).await.expect_ok();
    let folder = created.json["creator"]["folder_id"].as_str().unwrap();
    assert!(folder.parse::<uuid::Uuid>().is_ok(), "{folder}");
}
