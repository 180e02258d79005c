//! Decisions, "Cover images and colours": covers of every level, and the colours that come with them.

use axum::body::Body;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_domain::{Colour, ObjectKey};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::transcode;

use crate::house::{House, local, tone};
use crate::on_both;
use crate::reply::{Reply, keys, names};
use crate::uploads::{form, stored_objects};

on_both!(
    a_collection_gets_a_cover,
    a_collection_cover_url_is_for_one_collection,
    a_cover_of_nothing_is_refused_before_its_body_is_read,
    covers_rank_by_level,
    colours_come_with_a_cover,
    what_was_uploaded_is_kept_and_goes_with_the_collection,
    art_in_a_file_needs_consent,
);

/// A picture of bars in one colour on white.
pub(crate) fn picture(rgb: [u8; 3]) -> Vec<u8> {
    let [r, g, b] = rgb;
    let settings =
        tonearm_domain::WaveformImage { width: 300, height: 300, ..tonearm_domain::WaveformImage::default() };
    tonearm_signal::waveform_image(&settings, Colour::new(r, g, b), &[0.9; 60]).unwrap()
}

async fn post(house: &House, url: &str, picture: Vec<u8>) -> Reply {
    house.send(Request::post(local(url)).body(Body::from(picture)).unwrap()).await
}

/// A fresh cover upload URL for the track or collection at this path.
async fn cover_url(house: &House, path: &str, upload: &str) -> String {
    let renewed = house.post(&format!("{path}/cover"), Value::Null).await.expect_ok();
    renewed.json[upload]["upload_url"].as_str().unwrap().to_owned()
}

/// The path of the cover that a player gets for the track, without its signature.
async fn shown(house: &House, track: &str) -> String {
    let granted = house.post("/v1/play_session/track", json!({ "track_id": track })).await.expect_ok();
    let image = &granted.json["first_track"]["cover_image"];
    // Interface 2.4: exactly these three.
    assert_eq!(keys(image), names("icon small regular"));
    let url = image["regular"]["url"].as_str().unwrap();
    url.split('?').next().unwrap().to_owned()
}

async fn a_collection_gets_a_cover(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.post("/v1/collection", json!({ "title": "Season 1" })).await.expect_ok();
    let upload = &created.json["collection_cover_upload"];
    assert_eq!((&upload["method"], &upload["ttl"]), (&json!("POST"), &json!(3600)));
    assert_eq!(upload["expires_at"], "2030-01-01T01:00:00.000Z");
    let url = upload["upload_url"].as_str().unwrap();
    let accepted = post(&house, url, picture([200, 30, 30])).await.expect_ok();
    assert_eq!(accepted.keys(""), names("ok api_request_id collection_id"));
    assert_eq!(accepted.json["collection_id"], created.json["collection_id"]);
    // A form works too, and the URL can be used repeatedly until it expires.
    house.send(form(url, "file", &picture([30, 30, 200]))).await.expect_ok();

    let path = format!("/v1/collection/{}", created.json["collection_id"].as_str().unwrap());
    let renewed = house.post(&format!("{path}/cover"), Value::Null).await.expect_ok();
    assert_eq!(renewed.keys(""), names("ok api_request_id collection_id collection collection_cover_upload"));
    assert_eq!(renewed.keys("/collection_cover_upload"), names("method upload_url ttl expires_at"));
    let url = renewed.json["collection_cover_upload"]["upload_url"].as_str().unwrap();
    post(&house, url, Vec::new()).await.expect_field("file");
    post(&house, url, b"no picture".to_vec()).await.expect_field("file");
    house.clock.advance_seconds(3600);
    post(&house, url, picture([1, 2, 3])).await.expect_error(401, "upload_url_expired");
}

async fn a_collection_cover_url_is_for_one_collection(database: TestDatabase) {
    let house = House::open(database).await;
    let own = format!("/v1/collection/{}", house.collection_id);
    let url = cover_url(&house, &own, "collection_cover_upload").await;
    let other = house.create_collection("Other").await;
    let track = house.create_track("a.wav").await;
    let cover_of_track = track["track_cover_upload"]["upload_url"].as_str().unwrap();
    for forged in [
        url.replace(&house.collection_id, &other),
        url.replace("/collection_cover?", "/cover?"),
        cover_of_track.replace("/cover?", "/collection_cover?"),
    ] {
        post(&house, &forged, picture([1, 2, 3])).await.expect_error(401, "invalid_upload_url");
    }
    // Only callers who manage the collection get a URL.
    let key = house.key_to_collection(&other).await;
    let path = format!("{own}/cover");
    house.call_as(&key, Method::POST, &path, Value::Null).await.expect_error(404, "collection_not_found");
    house.call_as("", Method::POST, &path, Value::Null).await.expect_error(401, "missing_api_key");
    // A deleted collection accepts no cover, and nothing is left of it.
    house.delete(&own).await.expect_ok();
    post(&house, &url, picture([1, 2, 3])).await.expect_error(404, "collection_not_found");
}

async fn a_cover_of_nothing_is_refused_before_its_body_is_read(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("a.wav").await;
    let url = track["track_cover_upload"]["upload_url"].as_str().unwrap();
    house.delete(&format!("/v1/track/{}", track["track_id"].as_str().unwrap())).await.expect_ok();
    let body = futures::stream::poll_fn(|_| -> std::task::Poll<Option<std::io::Result<Vec<u8>>>> {
        panic!("the body was read")
    });
    // The client waits for `100 Continue`, so that the rest of a refused body is not read either.
    let request = Request::post(local(url)).header("expect", "100-continue");
    let refused = house.send(request.body(Body::from_stream(body)).unwrap()).await;
    refused.expect_error(404, "track_not_found");
}

async fn covers_rank_by_level(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let drawn = shown(&house, &track).await;
    house.set_organization_cover(picture([10, 120, 10])).await;
    let organizations = shown(&house, &track).await;
    assert_ne!(organizations, drawn, "a picture of any level comes before a drawn one");
    let collection = format!("/v1/collection/{}", house.collection_id);
    let url = cover_url(&house, &collection, "collection_cover_upload").await;
    post(&house, &url, picture([200, 30, 30])).await.expect_ok();
    let collections = shown(&house, &track).await;
    assert_ne!(collections, organizations);
    let url = cover_url(&house, &format!("/v1/track/{track}"), "track_cover_upload").await;
    post(&house, &url, picture([30, 30, 200])).await.expect_ok();
    let tracks = shown(&house, &track).await;
    assert_ne!(tracks, collections);

    // Each level may prevent the levels below from showing their own covers.
    house.put(&collection, json!({ "is_cover_overridable": false })).await.expect_ok();
    assert_eq!(shown(&house, &track).await, collections);
    let organization = format!("/v1/organization/{}", house.organization_id);
    house.put(&organization, json!({ "is_cover_overridable": false })).await.expect_ok();
    assert_eq!(shown(&house, &track).await, organizations);
    house.put(&organization, json!({ "is_cover_overridable": true })).await.expect_ok();
    house.put(&collection, json!({ "is_cover_overridable": true })).await.expect_ok();
    assert_eq!(shown(&house, &track).await, tracks);
    // The track's flag applies to art found in the file, not to an uploaded cover.
    house.put(&format!("/v1/track/{track}"), json!({ "is_cover_overridable": false })).await.expect_ok();
    assert_eq!(shown(&house, &track).await, tracks);
}

async fn colours_come_with_a_cover(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("a.wav").await["track_id"].as_str().unwrap().to_owned();
    let (track, collection) =
        (format!("/v1/track/{track}"), format!("/v1/collection/{}", house.collection_id));
    let colour = async |path: &str, record: &str| {
        house.get(path).await.expect_ok().json[record]["player_color"].as_str().map(str::to_owned)
    };
    assert_eq!(colour(&collection, "collection").await, None);
    let url = cover_url(&house, &collection, "collection_cover_upload").await;
    post(&house, &url, picture([200, 30, 30])).await.expect_ok();
    let read = house.get(&collection).await.expect_ok();
    let theme = read.json["collection"]["theme"].as_array().unwrap();
    assert!((2..=8).contains(&theme.len()), "{theme:?}");
    for colour in theme {
        assert_eq!(keys(colour), names("hex area lightness saturation"));
    }
    // The bars are the vibrant part; without a colour of its own the collection takes it, and so does the track.
    let red = colour(&collection, "collection").await.unwrap();
    let [r, g, b] = red.parse::<Colour>().unwrap().rgb;
    assert!(r > 180 && g < 60 && b < 60, "{red}");
    assert!(theme.iter().any(|colour| colour["hex"] == *red), "{theme:?}");
    assert_eq!(colour(&track, "track").await.as_ref(), Some(&red));

    let url = cover_url(&house, &track, "track_cover_upload").await;
    post(&house, &url, picture([20, 40, 200])).await.expect_ok();
    let blue = colour(&track, "track").await.unwrap();
    assert_ne!(blue, red);
    assert!(!house.get(&track).await.json["track"]["theme"].as_array().unwrap().is_empty());
    house.put(&collection, json!({ "is_theme_overridable": false })).await.expect_ok();
    assert_eq!(colour(&track, "track").await.as_ref(), Some(&red));
    house.put(&collection, json!({ "player_color": "#123456" })).await.expect_ok();
    assert_eq!(colour(&track, "track").await.as_deref(), Some("#123456"));
    house.put(&collection, json!({ "is_theme_overridable": true })).await.expect_ok();
    assert_eq!(colour(&track, "track").await.as_ref(), Some(&blue));
    house.put(&track, json!({ "player_color": "#654321" })).await.expect_ok();
    assert_eq!(colour(&track, "track").await.as_deref(), Some("#654321"));

    house.set_organization_cover(picture([10, 120, 10])).await;
    let path = format!("/v1/organization/{}", house.organization_id);
    let read = house.get(&path).await.expect_ok();
    assert!(!read.json["organization"]["theme"].as_array().unwrap().is_empty());
}

async fn what_was_uploaded_is_kept_and_goes_with_the_collection(database: TestDatabase) {
    let house = House::open(database).await;
    let path = format!("/v1/collection/{}", house.collection_id);
    let sent = picture([200, 30, 30]);
    for _ in 0..2 {
        let url = cover_url(&house, &path, "collection_cover_upload").await;
        post(&house, &url, sent.clone()).await.expect_ok();
    }
    let stored = stored_objects(&house).await;
    // Four sizes and the original, both of the current cover and of the previous one.
    assert_eq!(stored.len(), 10, "{stored:?}");
    let originals: Vec<&ObjectKey> =
        stored.iter().filter(|key| key.file.label.as_str() == "cover-original").collect();
    assert_eq!(originals.len(), 2);
    let kept = house.blobs.local_path(originals[0]).unwrap();
    assert_eq!(std::fs::read(kept).unwrap(), sent);
    house.delete(&path).await.expect_ok();
    house.run_jobs().await;
    assert_eq!(stored_objects(&house).await, []);
}

/// A song with a picture in its tags.
async fn song_with_art() -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let [wav, art, song] = ["in.wav", "art.png", "song.mp3"].map(|name| folder.path().join(name));
    std::fs::write(&wav, tone()).unwrap();
    std::fs::write(&art, picture([200, 30, 30])).unwrap();
    let attach = ["-i", art.to_str().unwrap(), "-map", "0:a", "-map", "1:v", "-c:v", "copy"];
    transcode(&wav, &song, &attach).await;
    std::fs::read(song).unwrap()
}

async fn art_in_a_file_needs_consent(database: TestDatabase) {
    let house = House::open(database).await;
    house.set_organization_cover(picture([10, 120, 10])).await;
    let song = song_with_art().await;
    for (cover, theme) in [(true, true), (true, false), (false, true), (false, false)] {
        let body = json!({
            "collection_id": house.collection_id, "file_name": "song.mp3",
            "is_cover_overridable": cover, "is_theme_overridable": theme,
        });
        let created = house.post("/v1/track", body).await.expect_ok();
        let id = created.json["track_id"].as_str().unwrap();
        let url = created.json["track_upload"]["upload_url"].as_str().unwrap();
        house.upload(url, song.clone()).await.expect_ok();
        house.run_jobs().await;
        let track = house.get(&format!("/v1/track/{id}")).await.expect_ok().json["track"].clone();
        let folder = track["index"].as_str().unwrap();
        assert_eq!(shown(&house, id).await.contains(folder), cover, "{cover} {theme}");
        assert_eq!(track["theme"].as_array().unwrap().is_empty(), !theme, "{cover} {theme}");
        let colour: Colour = track["player_color"].as_str().unwrap().parse().unwrap();
        let is_red = colour.rgb[0] > 180 && colour.rgb[1] < 60;
        assert_eq!(is_red, theme, "{cover} {theme} {colour}");
    }
}
