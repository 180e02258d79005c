//! Uploads in progress end with the key that opened their session, or made their track or replacement.

use axum::body::Body;
use http::Method;
use serde_json::{Value, json};
use tonearm_domain::KeyType;
use tonearm_fixtures::{LateBody, TestDatabase};
use tonearm_service::CreateKey;

use crate::house::{House, broken_after, tone};
use crate::on_both;
use crate::uploads::stored_objects;
use crate::{resumable, tus};

on_both!(
    uploads_in_progress_end_with_the_key,
    bytes_under_way_are_not_recorded,
    uploads_end_with_the_key_that_made_the_track,
);

/// An upload session that a key opened, and the upload URL of a track in it.
async fn open(house: &House, key: &str) -> (String, String) {
    let body = json!({ "collection_id": house.collection_id, "track": { "file_name": "by_url.wav" } });
    let opened = house.call_as(key, Method::POST, "/v1/upload_session", body).await.expect_ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&opened.json["upload_session_id"]), text(&opened.json["track_upload"]["upload_url"]))
}

async fn uploads_in_progress_end_with_the_key(database: TestDatabase) {
    let house = House::open(database).await;
    let bytes = tone();
    let (expiring, revoked) = (house.key.clone(), house.key_of_type(KeyType::Uploader).await);
    let first = async |url: &str| {
        let body = Body::from(bytes[..5000].to_vec());
        resumable::send(&house, Method::PUT, url, &[("upload-complete", "?0")], body).await
    };
    let mut begun = Vec::new();
    for key in [&expiring, &revoked] {
        let (session, url) = open(&house, key).await;
        assert_eq!(first(&url).await.status, 201);
        let whole = tus::begin(&house, &session, bytes.len()).await;
        tus::append(&house, &whole, 0, &bytes[..5000]).await;
        let mut parts = Vec::new();
        for part in [&bytes[..20_000], &bytes[20_000..]] {
            parts.push(tus::begin_part(&house, &session, part.len()).await);
        }
        tus::append(&house, &parts[0], 0, &bytes[..20_000]).await;
        begun.push((session, url, whole, parts));
    }
    let [on, ended] = begun.try_into().unwrap();
    house.revoke(&revoked).await;
    let (session, url, whole, parts) = ended;
    resumable::append(&house, &url, 5000, true, &bytes[5000..]).await.expect_error(410, "upload_expired");
    tus::append(&house, &whole, 5000, &bytes[5000..]).await.expect_error(410, "upload_expired");
    tus::append(&house, &parts[1], 0, &bytes[20_000..]).await.expect_error(410, "upload_expired");
    tus::join(&house, &session, &parts).await.expect_error(401, "invalid_upload_session");
    // A session that has expired does not end its uploads.
    house.clock.advance_seconds(3 * 3600);
    // Nor does its upload URL begin another upload that would outlast the URL.
    first(&url).await.expect_error(401, "upload_url_expired");
    let (_, url, whole, parts) = on;
    resumable::append(&house, &url, 5000, true, &bytes[5000..]).await.expect_ok();
    assert_eq!(tus::append(&house, &whole, 5000, &bytes[5000..]).await.status, 204);
    assert_eq!(tus::append(&house, &parts[1], 0, &bytes[20_000..]).await.status, 204);
    tus::forget(&house).await;
    let objects = stored_objects(&house).await;
    let kept = |label: &str| objects.iter().filter(|key| key.file.label.as_str() == label).count();
    // Both tracks share one source.
    assert_eq!((kept("source"), kept("upload_part")), (1, 2), "{objects:?}");
}

async fn bytes_under_way_are_not_recorded(database: TestDatabase) {
    let house = House::open(database).await;
    let key = house.key_of_type(KeyType::Uploader).await;
    let (session, url) = open(&house, &key).await;
    let text = "x".repeat(5000);
    let whole = tus::begin(&house, &session, text.len()).await;
    let headers = [("content-type", tus::STREAM), ("upload-offset", "0")];
    let (body, late) = LateBody::new(text);
    let sent = tus::send(&house, Method::PATCH, &whole, &headers, body);
    let (answer, ()) = tokio::join!(sent, late.arrives_after(house.revoke(&key)));
    answer.expect_error(423, "upload_locked");
    assert_eq!(tus::send(&house, Method::HEAD, &whole, &[], Body::empty()).await.status, 410);
    // The upload URL has ended, too.
    let complete: [&[_]; 2] = [&[("upload-complete", "?0")], &[]];
    for headers in complete {
        let sent = resumable::send(&house, Method::PUT, &url, headers, Body::from(tone())).await;
        sent.expect_error(401, "invalid_upload_session");
    }
    tus::forget(&house).await;
    assert_eq!(stored_objects(&house).await, []);
}

/// Without a session: the key created the track, or requested the replacement.
async fn uploads_end_with_the_key_that_made_the_track(database: TestDatabase) {
    let house = House::open(database).await;
    for is_rotated in [false, true] {
        uploads_end_with_a_key(&house, is_rotated).await;
    }
}

/// The key is revoked, or gets a new secret and the old one ends at once.
async fn uploads_end_with_a_key(house: &House, is_rotated: bool) {
    let (key, id) = house.key_with_id(CreateKey::new(KeyType::Api, "Soon gone")).await;
    let bytes = tone();
    let track = json!({ "collection_id": house.collection_id, "file_name": "a.wav" });
    let ready = house.ready_track("ready.wav").await;
    let mut urls = Vec::new();
    for (path, body) in [("/v1/track".to_owned(), track), (format!("/v1/track/{ready}/source"), json!({}))] {
        for by in [&key, &house.key] {
            let made = house.call_as(by, Method::POST, &path, body.clone()).await.expect_ok();
            let url = made.json["track_upload"]["upload_url"].as_str().unwrap().to_owned();
            let first = Body::from(bytes[..5000].to_vec());
            let sent = resumable::send(house, Method::PUT, &url, &[("upload-complete", "?0")], first).await;
            assert_eq!(sent.status, 201, "{path}");
            urls.push((by == &key, url));
            if by == &key && path.ends_with("/source") {
                break;
            }
        }
    }
    if is_rotated {
        house.rotate(id, "0".parse().unwrap()).await;
    } else {
        house.delete(&format!("/v1/api_key/{id}")).await.expect_ok();
    }
    for (is_ended, url) in urls {
        let rest = resumable::append(house, &url, 5000, true, &bytes[5000..]).await;
        if !is_ended {
            rest.expect_ok();
            continue;
        }
        rest.expect_error(410, "upload_expired");
        // Nothing of the body is read.
        let broken = resumable::send(house, Method::PUT, &url, &[], broken_after(b"")).await;
        broken.expect_error(401, "invalid_upload_session");
        let complete: [&[_]; 2] = [&[("upload-complete", "?0")], &[]];
        for headers in complete {
            let sent = resumable::send(house, Method::PUT, &url, headers, Body::from(bytes.clone())).await;
            sent.expect_error(401, "invalid_upload_session");
        }
    }
}
