//! Decisions, "Upload": how uploaded bytes are received.

use std::task::Poll;
use std::time::Duration;

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt as _, stream};
use http::Request;
use md5::Md5;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tonearm_api::ApiSettings;
use tonearm_catalog::Change;
use tonearm_domain::{Colour, ObjectKey, Timestamp};
use tonearm_fixtures::TestDatabase;
use tower::ServiceExt as _;

use crate::house::{House, LIMITS, WaitingTrack, broken_after, local, tone};
use crate::on_both;
use crate::reply::{Reply, names};

on_both!(
    bytes_are_kept_and_processed,
    an_interrupted_upload_leaves_nothing,
    a_stalled_upload_is_given_up,
    what_is_announced_must_arrive,
    uploads_have_limits,
    an_upload_url_works_once,
    an_upload_url_is_signed_and_expires,
    an_upload_outlasts_its_url,
    an_upload_counts_by_its_start,
    without_a_store_nothing_is_taken,
    without_free_space_nothing_is_taken,
    noise_is_no_track,
    a_cover_replaces_the_drawn_one,
    covers_have_rules,
    a_client_that_leaves_after_the_last_byte_has_uploaded_the_file,
);

async fn put(house: &House, url: &str, headers: &[(&str, String)], body: Body) -> Reply {
    let mut request = Request::put(local(url));
    for (name, value) in headers {
        request = request.header(*name, value);
    }
    house.send(request.body(body).unwrap()).await
}

pub(crate) async fn stored_objects(house: &House) -> Vec<ObjectKey> {
    house.blobs.list(None, None).map(|listed| listed.unwrap().0).collect().await
}

async fn bytes_are_kept_and_processed(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let chunks: Vec<_> =
        bytes.chunks(1000).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
    let reply = put(&house, &url, &[], Body::from_stream(stream::iter(chunks))).await.expect_ok();
    assert_eq!(reply.keys(""), names("ok api_request_id track_id size sha256"));
    assert_eq!(reply.json["size"], bytes.len());
    assert_eq!(reply.json["sha256"], hex::encode(Sha256::digest(&bytes)));
    assert_eq!(house.track_status(&track).await, "processing");
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
}

async fn an_interrupted_upload_leaves_nothing(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    for length in [0, 10, 20_000] {
        let reply = put(&house, &url, &[], broken_after(&bytes[..length])).await;
        reply.expect_error(400, "upload_interrupted");
    }
    // A body that ends before its announced length is not complete either.
    let announced = [("content-length", bytes.len().to_string())];
    let reply = put(&house, &url, &announced, Body::from(bytes[..20_000].to_vec())).await;
    reply.expect_error(400, "upload_interrupted");
    assert_eq!(stored_objects(&house).await, []);
    assert_eq!(house.track_status(&track).await, "initialized");
    // The URL can be used again.
    put(&house, &url, &[], Body::from(bytes)).await.expect_ok();
}

async fn a_stalled_upload_is_given_up(database: TestDatabase) {
    let settings = ApiSettings { upload_idle_timeout: Duration::from_millis(20), ..ApiSettings::default() };
    let house = House::open(database).await.with(settings);
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let sent = stream::iter([Ok::<_, std::io::Error>(Bytes::from(tone()))]);
    let reply = put(&house, &url, &[], Body::from_stream(sent.chain(stream::pending()))).await;
    reply.expect_error(400, "upload_interrupted");
    assert_eq!(stored_objects(&house).await, []);
}

async fn what_is_announced_must_arrive(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let sha256 = format!("sha-256=:{}:", BASE64_STANDARD.encode(Sha256::digest(&bytes)));
    let md5 = BASE64_STANDARD.encode(Md5::digest(&bytes));
    let other_sha256 = format!("sha-256=:{}:", BASE64_STANDARD.encode([7; 32]));
    let body = || Body::from(bytes.clone());
    put(&house, &url, &[("repr-digest", "sha-256=x".to_owned())], body()).await.expect_field("Repr-Digest");
    put(&house, &url, &[("content-md5", "x".to_owned())], body()).await.expect_field("Content-MD5");
    put(&house, &url, &[("content-digest", "sha-256=x".to_owned())], body())
        .await
        .expect_field("Content-Digest");
    // Not even if it is the whole file.
    let range = format!("bytes 0-{}/{}", bytes.len() - 1, bytes.len());
    for complete in [None, Some("?1"), Some("?0")] {
        let complete = complete.map(|complete| ("upload-complete", complete.to_owned()));
        let headers: Vec<_> = complete.into_iter().chain([("content-range", range.clone())]).collect();
        put(&house, &url, &headers, body()).await.expect_field("Content-Range");
        assert_eq!(stored_objects(&house).await, []);
    }
    for mismatch in [
        ("repr-digest", other_sha256.clone()),
        ("content-digest", other_sha256),
        ("content-md5", BASE64_STANDARD.encode([7; 16])),
    ] {
        put(&house, &url, &[mismatch], body()).await.expect_error(400, "invalid_parameter");
        assert_eq!(stored_objects(&house).await, []);
    }
    assert_eq!(house.track_status(&track).await, "initialized");
    let all = [("repr-digest", sha256.clone()), ("content-digest", sha256), ("content-md5", md5)];
    put(&house, &url, &all, body()).await.expect_ok();
}

async fn uploads_have_limits(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    put(&house, &url, &[], Body::empty()).await.expect_error(400, "invalid_parameter");
    let large = vec![0; LIMITS.max_source_bytes as usize + 1];
    let announced = [("content-length", large.len().to_string())];
    put(&house, &url, &announced, Body::from(large.clone())).await.expect_error(413, "too_large");
    let chunks: Vec<_> =
        large.chunks(100_000).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
    put(&house, &url, &[], Body::from_stream(stream::iter(chunks))).await.expect_error(413, "too_large");
    // The partial object is gone, and the URL can be used again.
    assert_eq!(stored_objects(&house).await, []);
    // A body longer than the drain limit is cut off; a client that waits for `100 Continue` is not told to continue.
    let endless =
        || Body::from_stream(stream::repeat(Bytes::from(vec![0; 65_536])).map(Ok::<_, std::io::Error>));
    let reply = put(&house, &url, &[], endless()).await.expect_error(413, "too_large");
    assert_eq!(reply.header("connection"), Some("close"));
    let expecting = [("expect", "100-continue".to_owned()), ("content-length", large.len().to_string())];
    let reply = put(&house, &url, &expecting, endless()).await.expect_error(413, "too_large");
    assert_eq!(reply.header("connection"), Some("close"));
    put(&house, &url, &[], Body::from(tone())).await.expect_ok();
}

async fn an_upload_url_works_once(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    house.upload(&url, tone()).await.expect_ok();
    house.upload(&url, tone()).await.expect_error(409, "upload_url_used");
    assert_eq!(stored_objects(&house).await.len(), 1);
    // Of two concurrent uploads, one wins and the other leaves nothing.
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let (one, other) = tokio::join!(house.upload(&url, tone()), house.upload(&url, tone()));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    assert_eq!(stored_objects(&house).await.len(), 2);
}

async fn an_upload_url_is_signed_and_expires(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, cover_url } = house.waiting_track().await;
    let unsigned = url.split('?').next().unwrap();
    let for_cover = cover_url.replace("/cover?", "/source?");
    let longer = url.replace("ttl=3600", "ttl=36000");
    for forged in [unsigned, &for_cover, &longer, &format!("{url}&x=1")] {
        house.upload(forged, tone()).await.expect_error(401, "invalid_upload_url");
    }
    house.clock.advance_seconds(3600);
    let reply = house.upload(&url, tone()).await.expect_error(401, "upload_url_expired");
    assert_eq!(reply.header("www-authenticate"), None);
    // Decisions, "Track status": a track whose URL expired unused has failed.
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "init_error");
}

/// An upload in progress: it receives what is sent to the channel.
fn in_pieces() -> (futures::channel::mpsc::UnboundedSender<Result<Bytes, std::io::Error>>, Body) {
    let (sender, receiver) = futures::channel::mpsc::unbounded();
    (sender, Body::from_stream(receiver))
}

/// Waits until the stored upload expiry of the track is at least `until`. Bounded by 30 seconds.
async fn waited_for(house: &House, track: &str, until: Timestamp) {
    let id = track.rsplit('/').next().unwrap().parse().unwrap();
    let renewed = async {
        while house.catalog().track(house.organization_id, id).await.unwrap().unwrap().upload_expires_at
            < until
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), renewed).await.unwrap();
}

/// The expiry of the URL applies to the start of an upload. Bytes that arrive extend it.
async fn an_upload_outlasts_its_url(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let (sender, body) = in_pieces();
    let send = |from: usize, to: usize| {
        sender.unbounded_send(Ok(Bytes::copy_from_slice(&bytes[from..to]))).unwrap();
    };
    house.clock.advance_seconds(3590);
    let steps = async {
        send(0, 10_000);
        waited_for(&house, &track, house.ambient.now().plus_seconds(900)).await;
        house.clock.advance_seconds(600);
        house.run_jobs().await;
        assert_eq!(house.track_status(&track).await, "initialized");
        send(10_000, 20_000);
        waited_for(&house, &track, house.ambient.now().plus_seconds(900)).await;
        house.clock.advance_seconds(600);
        house.run_jobs().await;
        assert_eq!(house.track_status(&track).await, "initialized");
        send(20_000, bytes.len());
        sender.close_channel();
    };
    let (reply, ()) = tokio::join!(put(&house, &url, &[], body), steps);
    reply.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
    // No job is left that would give up the track later.
    house.clock.advance_seconds(7200);
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
    // If no bytes arrive, as after a node's death, the wait ends.
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    house.clock.advance_seconds(3590);
    let (sender, body) = in_pieces();
    let steps = async {
        sender.unbounded_send(Ok(Bytes::copy_from_slice(&bytes[..10_000]))).unwrap();
        waited_for(&house, &track, house.ambient.now().plus_seconds(900)).await;
        sender.unbounded_send(Err(std::io::Error::other("the node is gone"))).unwrap();
    };
    let (reply, ()) = tokio::join!(put(&house, &url, &[], body), steps);
    reply.expect_error(400, "upload_interrupted");
    house.clock.advance_seconds(10);
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "initialized");
    house.clock.advance_seconds(890);
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "init_error");
    house.upload(&url, tone()).await.expect_error(401, "upload_url_expired");
}

/// The upload counts even if the track was given up meanwhile, as when its node could not reach the database for an
/// hour.
async fn an_upload_counts_by_its_start(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let (tell, began) = futures::channel::oneshot::channel();
    let (send_rest, rest) = futures::channel::oneshot::channel();
    let first = Ok::<_, std::io::Error>(Bytes::copy_from_slice(&bytes[..10_000]));
    // Polled once the first bytes are processed.
    let later = stream::once(async move {
        tell.send(()).unwrap();
        Ok(rest.await.unwrap())
    });
    let body = Body::from_stream(stream::iter([first]).chain(later));
    let steps = async {
        began.await.unwrap();
        house.clock.advance_seconds(7200);
        house.run_jobs().await;
        assert_eq!(house.track_status(&track).await, "init_error");
        send_rest.send(Bytes::copy_from_slice(&bytes[10_000..])).unwrap();
    };
    let (reply, ()) = tokio::join!(put(&house, &url, &[], body), steps);
    reply.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
    house.upload(&url, tone()).await.expect_error(401, "upload_url_expired");
}

async fn without_a_store_nothing_is_taken(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    house.lose_store();
    let reply = house.upload(&url, tone()).await.expect_error(503, "unavailable");
    assert_eq!(reply.header("retry-after"), Some("5"));
    assert_eq!(house.track_status(&track).await, "initialized");
}

async fn without_free_space_nothing_is_taken(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, cover_url } = house.waiting_track().await;
    let session = json!({ "collection_id": house.collection_id });
    let session = house.post("/v1/upload_session", session).await.expect_ok();
    let session = session.json["upload_session_id"].as_str().unwrap().to_owned();
    let key = json!({ "title": "Player", "api_key_type_id": "player" });
    let key = house.post("/v1/api_key", key).await.expect_ok();
    let key = format!("/v1/api_key/{}", key.json["api_key_record"]["id"].as_str().unwrap());
    let house = house.without_free_space();
    let refused = |reply: Reply| {
        let reply = reply.expect_error(507, "insufficient_storage");
        assert_eq!(reply.header("retry-after"), Some("60"));
    };
    refused(house.upload(&url, tone()).await);
    let cover = Request::post(local(&cover_url)).body(Body::from(picture())).unwrap();
    refused(house.send(cover).await);
    assert_eq!(house.track_status(&track).await, "initialized");
    assert!(stored_objects(&house).await.is_empty());
    // Creating a track whose bytes would be refused is refused too.
    refuse_new_tracks(&house, &session, refused).await;
    refuse_records(&house, refused).await;
    house.get("/v1/collection").await.expect_ok();
    // A right can be narrowed, but not otherwise changed.
    refused(house.call(http::Method::PUT, &key, json!({ "title": "Other" })).await);
    let ends = house.ambient.now().plus_seconds(60).to_string();
    house.call(http::Method::PUT, &key, json!({ "expires_at": ends })).await.expect_ok();
    refused(house.call(http::Method::PUT, &key, json!({ "expires_at": null })).await);
    for path in [key, track, format!("/v1/collection/{}", house.collection_id)] {
        house.call(http::Method::DELETE, &path, Value::Null).await.expect_ok();
    }
}

/// Tries some ways to add records that have no files.
async fn refuse_records(house: &House, refused: impl Fn(Reply)) {
    let in_collection = json!({ "collection_id": house.collection_id });
    for (path, body) in [
        ("/v1/collection", json!({ "title": "More" })),
        ("/v1/creator", json!({ "organization_index": "more" })),
        ("/v1/api_key", json!({ "title": "More", "api_key_type_id": "player" })),
        ("/v1/play_session/collection", in_collection.clone()),
        ("/v1/upload_session", in_collection),
    ] {
        refused(house.post(path, body).await);
    }
    let path = format!("/v1/collection/{}", house.collection_id);
    refused(house.call(http::Method::PUT, &path, json!({ "metadata": { "note": "more" } })).await);
}

/// Tries every way to create a track.
pub(crate) async fn refuse_new_tracks(house: &House, session: &str, refused: impl Fn(Reply)) {
    let track = json!({ "file_name": "more.wav" });
    let in_collection = json!({ "collection_id": house.collection_id, "file_name": "more.wav" });
    let nested = json!({ "collection_id": house.collection_id, "track": track });
    let before = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.json;
    refused(house.post("/v1/track", in_collection).await);
    refused(house.post("/v1/upload_session", nested).await);
    let path = format!("/v1/upload/{session}/track");
    refused(house.call_as("", http::Method::POST, &path, track).await);
    let after = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.json;
    assert_eq!(before["count"], after["count"]);
}

async fn noise_is_no_track(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    house.upload(&url, b"this is no audio at all".repeat(100)).await.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "init_error");
}

pub(crate) fn picture() -> Vec<u8> {
    let settings =
        tonearm_domain::WaveformImage { width: 300, height: 200, ..tonearm_domain::WaveformImage::default() };
    tonearm_signal::waveform_image(&settings, Colour::new(200, 30, 30), &[0.2, 0.9, 0.4]).unwrap()
}

async fn a_cover_replaces_the_drawn_one(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let cover = async || {
        let granted = house.post("/v1/play_session/track", json!({ "track_id": track })).await.expect_ok();
        let url = granted.json["first_track"]["cover_image"]["small"]["url"].as_str().unwrap().to_owned();
        url.split('?').next().unwrap().to_owned()
    };
    let drawn = cover().await;
    let renewed = house.post(&format!("/v1/track/{track}/cover"), Value::Null).await.expect_ok();
    let url = renewed.json["track_cover_upload"]["upload_url"].as_str().unwrap();
    let raw =
        Request::post(local(url)).header("content-type", "image/png").body(Body::from(picture())).unwrap();
    let reply = house.send(raw).await.expect_ok();
    assert_eq!(reply.keys(""), names("ok api_request_id track_id"));
    let uploaded = cover().await;
    assert_ne!(uploaded, drawn);
    house.send(form(url, "file", &picture())).await.expect_ok();
    assert_ne!(cover().await, uploaded);
}

pub(crate) fn form(url: &str, field: &str, picture: &[u8]) -> Request<Body> {
    let mut body = format!(
        "--frontier\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\nhello\r\n\
         --frontier\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"c.png\"\r\n\
         Content-Type: image/png\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(picture);
    body.extend_from_slice(b"\r\n--frontier--\r\n");
    let request = Request::post(local(url)).header("content-type", "multipart/form-data; boundary=frontier");
    request.body(Body::from(body)).unwrap()
}

async fn covers_have_rules(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, cover_url, .. } = house.waiting_track().await;
    let post = async |body: Body| house.send(Request::post(local(&cover_url)).body(body).unwrap()).await;
    post(Body::empty()).await.expect_field("file");
    post(Body::from("no picture")).await.expect_field("file");
    post(broken_after(&picture())).await.expect_error(400, "upload_interrupted");
    post(Body::from(vec![0; LIMITS.max_cover_bytes as usize + 1])).await.expect_error(413, "too_large");
    house.send(form(&cover_url, "other", &picture())).await.expect_field("file");
    let large = vec![0; LIMITS.max_cover_bytes as usize + 1];
    house.send(form(&cover_url, "file", &large)).await.expect_error(413, "too_large");
    let cut =
        Request::post(local(&cover_url)).header("content-type", "multipart/form-data; boundary=frontier");
    let cut = cut
        .body(Body::from("--frontier\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc"))
        .unwrap();
    house.send(cut).await.expect_error(400, "malformed_form");
    let for_source = url.replace("/source?", "/cover?");
    let forged = Request::post(local(&for_source)).body(Body::from(picture())).unwrap();
    house.send(forged).await.expect_error(401, "invalid_upload_url");
}

/// Otherwise the file would be in the store, and neither in the quota nor anywhere else; or nowhere, although it has
/// arrived.
async fn a_client_that_leaves_after_the_last_byte_has_uploaded_the_file(database: TestDatabase) {
    let house = House::open(database).await;
    let (changed, mut changes) = mpsc::unbounded_channel();
    house.catalog().on_commit(move |all| {
        let is_of_track = all.iter().any(|change| matches!(change, Change::Track(_)));
        // The test may have ended.
        let _ = is_of_track.then(|| changed.send(()));
    });
    for is_read in [true, false] {
        let waiting = house.waiting_track().await;
        let (leaves, mut has_left) = oneshot::channel();
        let (bytes, mut leaves) = (tone(), Some(leaves));
        let (first, last) = bytes.split_at(if is_read { bytes.len() } else { 5000 });
        let mut rest = [first, last].map(Bytes::copy_from_slice).into_iter();
        let mut polls = 0;
        let body = stream::poll_fn(move |_| {
            polls += 1;
            if polls == 2 {
                leaves.take().map(|leaves| leaves.send(()));
                if !is_read {
                    // The rest arrives, and the client leaves before anybody reads it.
                    return Poll::Pending;
                }
            }
            Poll::Ready(rest.find(|part| !part.is_empty()).map(Ok::<_, std::io::Error>))
        });
        let request = Request::put(local(&waiting.url)).body(Body::from_stream(body)).unwrap();
        {
            let answer = house.router.clone().oneshot(request);
            tokio::select! {
                biased;
                _ = &mut has_left => {}
                answer = answer => panic!("answered before the client could leave: {answer:?}"),
            }
        }
        timeout(Duration::from_secs(20), changes.recv()).await.unwrap().unwrap();
        assert_eq!(house.track_status(&waiting.track).await, "processing", "{is_read}");
        let sources = house.blobs.list(None, None).try_collect::<Vec<_>>().await.unwrap().len();
        assert_eq!(sources, if is_read { 1 } else { 2 });
    }
}
