//! Resumable uploads with the IETF protocol on upload URLs.

use std::time::Duration;

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::{Method, Request};
use md5::Md5;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tonearm_domain::Job;
use tonearm_fixtures::TestDatabase;

use crate::house::{House, LIMITS, WaitingTrack, broken_after, local, tone};
use crate::on_both;
use crate::reply::Reply;
use crate::uploads::stored_objects;

on_both!(
    a_broken_upload_goes_on,
    an_upload_comes_in_pieces,
    an_upload_goes_on_after_its_url_has_expired,
    offsets_and_lengths_must_fit,
    digests_are_checked,
    a_second_request_stops_the_first,
    an_upload_can_be_cancelled_and_begun_anew,
    uploads_that_nobody_continues_are_removed,
    a_plain_upload_wins,
    only_the_url_permits,
    too_much_is_refused,
    a_deleted_track_takes_nothing,
);

const PARTIAL: &str = "application/partial-upload";

pub(crate) async fn send(
    house: &House,
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: Body,
) -> Reply {
    let mut request = Request::builder().method(method).uri(local(url));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    house.send(request.body(body).unwrap()).await
}

async fn head(house: &House, url: &str) -> Reply {
    let request = Request::head(local(url)).body(Body::empty()).unwrap();
    let (status, headers, body) = house.send_raw(request).await;
    // Over HTTP, the server omits the body of an error. Here it is present.
    let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Reply { status, headers, json }
}

/// The offset of the upload, and whether it is complete.
async fn progress(house: &House, url: &str) -> (u64, bool) {
    let reply = head(house, url).await;
    assert_eq!(reply.status, 204, "{}", reply.json);
    (reply.header("upload-offset").unwrap().parse().unwrap(), reply.header("upload-complete") == Some("?1"))
}

pub(crate) async fn append(house: &House, url: &str, offset: u64, is_last: bool, bytes: &[u8]) -> Reply {
    let (offset, last) = (offset.to_string(), if is_last { "?1" } else { "?0" });
    let length = bytes.len().to_string();
    let headers = [
        ("content-type", PARTIAL),
        ("upload-offset", &offset),
        ("upload-complete", last),
        ("content-length", &length),
    ];
    send(house, Method::PATCH, url, &headers, Body::from(bytes.to_vec())).await
}

/// The number of incomplete uploads in the store.
fn drafts(house: &House) -> usize {
    let files = std::fs::read_dir(house.store().join("objects/.tmp")).unwrap();
    files.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().starts_with("upload-")).count()
}

async fn a_broken_upload_goes_on(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    assert_eq!(head(&house, &url).await.status, 404);
    let length = bytes.len().to_string();
    let headers = [("upload-complete", "?1"), ("content-length", length.as_str())];
    let reply = send(&house, Method::PUT, &url, &headers, broken_after(&bytes[..10_000])).await;
    reply.expect_error(400, "upload_interrupted");
    assert_eq!(progress(&house, &url).await, (10_000, false));
    assert_eq!(head(&house, &url).await.header("upload-length"), Some(length.as_str()));
    // Interrupted once more, at an arbitrary byte.
    let last = [("content-type", PARTIAL), ("upload-offset", "10000"), ("upload-complete", "?1")];
    let reply = send(&house, Method::PATCH, &url, &last, broken_after(&bytes[10_000..10_001])).await;
    reply.expect_error(400, "upload_interrupted");
    assert_eq!(progress(&house, &url).await, (10_001, false));
    let reply = append(&house, &url, 10_001, true, &bytes[10_001..]).await.expect_ok();
    assert_eq!(reply.json["size"], bytes.len());
    assert_eq!(reply.json["sha256"], hex::encode(Sha256::digest(&bytes)));
    assert_eq!(reply.header("upload-complete"), Some("?1"));
    // A client that missed the response learns that the upload is complete.
    assert_eq!(progress(&house, &url).await, (bytes.len() as u64, true));
    let again = append(&house, &url, 10_001, true, &bytes[10_001..]).await;
    again.expect_error(409, "upload_complete");
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
    assert_eq!(drafts(&house), 0);
}

async fn an_upload_comes_in_pieces(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    // The client requests the upload's URL before it sends the first byte.
    let reply = send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::empty()).await;
    assert_eq!((reply.status.as_u16(), reply.header("location")), (201, Some(local(&url))));
    assert_eq!(reply.header("upload-complete"), Some("?0"));
    assert!(reply.header("upload-limit").unwrap().starts_with("max-size=2000000, max-age="));
    for (at, piece) in bytes.chunks(7000).enumerate() {
        let reply = append(&house, &url, at as u64 * 7000, false, piece).await;
        assert_eq!((reply.status.as_u16(), reply.header("upload-complete")), (204, Some("?0")));
    }
    assert_eq!(house.track_status(&track).await, "initialized");
    // All bytes are there; the client only has to complete the upload.
    append(&house, &url, bytes.len() as u64, true, &[]).await.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
    let source = stored_objects(&house).await.into_iter().find(|key| key.file.label.as_str() == "source");
    assert_eq!(source.unwrap().file.content_type.extension(), "wav");
}

async fn an_upload_goes_on_after_its_url_has_expired(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from(bytes[..5000].to_vec())).await;
    for hours in [2, 23] {
        house.clock.advance_seconds(hours * 3600);
        house.run_jobs().await;
        assert_eq!(house.track_status(&track).await, "initialized");
        let (offset, _) = progress(&house, &url).await;
        append(&house, &url, offset, false, &bytes[offset as usize..][..5000]).await;
    }
    // The expired URL cannot begin a new upload.
    let again = send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::empty()).await;
    again.expect_error(401, "upload_url_expired");
    append(&house, &url, 15_000, true, &bytes[15_000..]).await.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
}

async fn offsets_and_lengths_must_fit(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let bytes = tone();
    let length = bytes.len().to_string();
    let begin = [("upload-complete", "?0"), ("upload-length", length.as_str())];
    send(&house, Method::PUT, &url, &begin, Body::from(bytes[..5000].to_vec())).await;
    for wrong in [0, 4999, 5001] {
        let reply =
            append(&house, &url, wrong, false, b"x").await.expect_error(409, "upload_offset_mismatch");
        assert_eq!(reply.header("upload-offset"), Some("5000"));
    }
    // Longer than announced, completed too early, a different length.
    let longer = vec![0; bytes.len()];
    append(&house, &url, 5000, false, &longer).await.expect_error(400, "inconsistent_upload_length");
    append(&house, &url, 5000, true, b"x").await.expect_error(400, "inconsistent_upload_length");
    let mut other = vec![("content-type", PARTIAL), ("upload-offset", "5000"), ("upload-complete", "?0")];
    other.push(("upload-length", "7000"));
    let reply = send(&house, Method::PATCH, &url, &other, Body::from("x")).await;
    reply.expect_error(400, "inconsistent_upload_length");
    for (missing, field) in [(1, "Upload-Offset"), (2, "Upload-Complete")] {
        let mut headers =
            vec![("content-type", PARTIAL), ("upload-offset", "5000"), ("upload-complete", "?0")];
        headers.remove(missing);
        send(&house, Method::PATCH, &url, &headers, Body::from("x")).await.expect_field(field);
    }
    let headers = [("content-type", "audio/wav"), ("upload-offset", "5000"), ("upload-complete", "?0")];
    let reply = send(&house, Method::PATCH, &url, &headers, Body::from("x")).await;
    reply.expect_error(415, "unsupported_media_type");
    // None of this did any harm. A piece of unknown size that is too long is detected while it is read.
    assert_eq!(progress(&house, &url).await, (5000, false));
    let headers = [("content-type", PARTIAL), ("upload-offset", "5000"), ("upload-complete", "?1")];
    let pieces = stream::iter([bytes[5000..].to_vec(), b"more".to_vec()]);
    let body = Body::from_stream(pieces.map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))));
    let reply = send(&house, Method::PATCH, &url, &headers, body).await;
    reply.expect_error(400, "inconsistent_upload_length");
    assert_eq!(progress(&house, &url).await, (5000, false));
    append(&house, &url, 5000, true, &bytes[5000..]).await.expect_ok();
}

async fn digests_are_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let digest = |bytes: &[u8]| format!("sha-256=:{}:", BASE64_STANDARD.encode(Sha256::digest(bytes)));
    let whole = digest(&bytes);
    let begin = [("upload-complete", "?0"), ("repr-digest", whole.as_str())];
    send(&house, Method::PUT, &url, &begin, Body::from(bytes[..5000].to_vec())).await;
    let (right, wrong) = (digest(&bytes[5000..6000]), digest(b"other"));
    let piece = |digest| {
        [
            ("content-type", PARTIAL),
            ("upload-offset", "5000"),
            ("upload-complete", "?0"),
            ("content-digest", digest),
        ]
    };
    let body = || Body::from(bytes[5000..6000].to_vec());
    let reply = send(&house, Method::PATCH, &url, &piece(&wrong), body()).await;
    reply.expect_error(400, "checksum_mismatch");
    let reply = send(&house, Method::PATCH, &url, &piece("sha-256=x"), body()).await;
    reply.expect_field("Content-Digest");
    // A piece with a digest that is interrupted is not kept, as its digest cannot be verified.
    send(&house, Method::PATCH, &url, &piece(&right), broken_after(&bytes[5000..5500])).await;
    assert_eq!(progress(&house, &url).await, (5000, false));
    assert_eq!(send(&house, Method::PATCH, &url, &piece(&right), body()).await.status, 204);
    // The digest of the whole file must match too. If it does not, nothing is kept.
    let mut other = bytes[6000..].to_vec();
    other[100] ^= 1;
    append(&house, &url, 6000, true, &other).await.expect_error(400, "invalid_parameter");
    assert_eq!(head(&house, &url).await.status, 404);
    assert_eq!((stored_objects(&house).await, drafts(&house)), (vec![], 0));
    assert_eq!(house.track_status(&track).await, "initialized");
    let wrong = BASE64_STANDARD.encode([7; 16]);
    let begin = [("upload-complete", "?1"), ("content-md5", wrong.as_str())];
    let reply = send(&house, Method::PUT, &url, &begin, Body::from(bytes.clone())).await;
    reply.expect_error(400, "checksum_mismatch");
    assert_eq!(house.track_status(&track).await, "initialized");
    let right = BASE64_STANDARD.encode(Md5::digest(&bytes));
    let begin = [("upload-complete", "?1"), ("repr-digest", whole.as_str()), ("content-md5", right.as_str())];
    send(&house, Method::PUT, &url, &begin, Body::from(bytes)).await.expect_ok();
}

/// After a connection fails, the server may still wait for bytes.
async fn a_second_request_stops_the_first(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let bytes = tone();
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::empty()).await;
    for attempt in 0..3 {
        let at = attempt * 5000;
        let first = Ok::<_, std::io::Error>(Bytes::copy_from_slice(&bytes[at..at + 5000]));
        let (tell, began) = futures::channel::oneshot::channel();
        let stalled = stream::once(async move {
            tell.send(()).unwrap();
            std::future::pending::<Result<Bytes, std::io::Error>>().await
        });
        let body = Body::from_stream(stream::iter([first]).chain(stalled));
        let offset = at.to_string();
        let headers = [("content-type", PARTIAL), ("upload-offset", &offset), ("upload-complete", "?0")];
        let asked = async {
            began.await.unwrap();
            progress(&house, &url).await
        };
        let (reply, told) = tokio::join!(send(&house, Method::PATCH, &url, &headers, body), asked);
        reply.expect_error(400, "upload_interrupted");
        assert_eq!(told, (at as u64 + 5000, false));
    }
    append(&house, &url, 15_000, true, &bytes[15_000..]).await.expect_ok();
}

async fn an_upload_can_be_cancelled_and_begun_anew(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    let begin = [("upload-complete", "?0")];
    send(&house, Method::PUT, &url, &begin, Body::from(vec![0; 5000])).await;
    assert_eq!(drafts(&house), 1);
    assert_eq!(send(&house, Method::DELETE, &url, &[], Body::empty()).await.status, 204);
    assert_eq!((head(&house, &url).await.status.as_u16(), drafts(&house)), (404, 0));
    let reply = send(&house, Method::DELETE, &url, &[], Body::empty()).await;
    reply.expect_error(404, "upload_not_found");
    // Another `PUT` replaces what is there.
    send(&house, Method::PUT, &url, &begin, Body::from(vec![0; 5000])).await;
    send(&house, Method::PUT, &url, &begin, Body::from(bytes[..7000].to_vec())).await;
    assert_eq!((progress(&house, &url).await, drafts(&house)), ((7000, false), 1));
    append(&house, &url, 7000, true, &bytes[7000..]).await.expect_ok();
    let reply = send(&house, Method::DELETE, &url, &[], Body::empty()).await;
    reply.expect_error(409, "upload_complete");
    let reply = send(&house, Method::PUT, &url, &begin, Body::from("x")).await;
    reply.expect_error(409, "upload_url_used");
    house.run_jobs().await;
    assert_eq!(house.track_status(&track).await, "ready");
}

async fn uploads_that_nobody_continues_are_removed(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from(vec![0; 5000])).await;
    let forget = async || {
        let tx = house.catalog().begin().await.unwrap();
        let job = Job::ForgetExpired {};
        tx.enqueue(job, house.ambient.record_id(), house.ambient.now(), None).await.unwrap();
        tx.commit().await.unwrap();
        house.run_jobs().await;
    };
    house.clock.advance_seconds(24 * 3600 - 60);
    forget().await;
    assert_eq!((drafts(&house), house.track_status(&track).await.as_str()), (1, "initialized"));
    house.clock.advance_seconds(60);
    let reply = append(&house, &url, 5000, false, b"x").await;
    reply.expect_error(410, "upload_expired");
    forget().await;
    assert_eq!((drafts(&house), house.track_status(&track).await.as_str()), (0, "init_error"));
    assert_eq!(head(&house, &url).await.status, 404);
}

/// If a track has two uploads, the first to complete wins.
async fn a_plain_upload_wins(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let bytes = tone();
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from(bytes[..5000].to_vec())).await;
    house.upload(&url, bytes.clone()).await.expect_ok();
    append(&house, &url, 5000, true, &bytes[5000..]).await.expect_error(409, "upload_complete");
    assert_eq!(stored_objects(&house).await.len(), 1);
    assert_eq!(progress(&house, &url).await, (bytes.len() as u64, true));
}

async fn only_the_url_permits(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let other = house.waiting_track().await.url;
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from("x")).await;
    let (path, query) = url.split_once('?').unwrap();
    let (_, other_query) = other.split_once('?').unwrap();
    assert_ne!(query, other_query);
    for forged in [path.to_owned(), format!("{path}?{other_query}"), format!("{url}0")] {
        assert_eq!(head(&house, &forged).await.status, 401);
        append(&house, &forged, 1, false, b"y").await.expect_error(401, "invalid_upload_url");
        let reply = send(&house, Method::DELETE, &forged, &[], Body::empty()).await;
        reply.expect_error(401, "invalid_upload_url");
        let reply = send(&house, Method::PUT, &forged, &[("upload-complete", "?0")], Body::from("y")).await;
        reply.expect_error(401, "invalid_upload_url");
    }
    append(&house, &other, 0, false, b"y").await.expect_error(404, "upload_not_found");
    assert_eq!(progress(&house, &url).await, (1, false));
}

async fn too_much_is_refused(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { url, .. } = house.waiting_track().await;
    let most = LIMITS.max_source_bytes;
    let length = (most + 1).to_string();
    let begin = [("upload-complete", "?0"), ("upload-length", length.as_str())];
    send(&house, Method::PUT, &url, &begin, Body::empty()).await.expect_error(413, "too_large");
    send(&house, Method::PUT, &url, &[("upload-complete", "?1")], Body::empty())
        .await
        .expect_error(400, "invalid_parameter");
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from(vec![0; 1_500_000])).await;
    append(&house, &url, 1_500_000, false, &vec![0; 500_001]).await.expect_error(413, "too_large");
    let endless = stream::repeat(Bytes::from(vec![0; 65_536])).map(Ok::<_, std::io::Error>);
    let headers = [("content-type", PARTIAL), ("upload-offset", "1500000"), ("upload-complete", "?0")];
    let reply = send(&house, Method::PATCH, &url, &headers, Body::from_stream(endless)).await;
    reply.expect_error(413, "too_large");
    assert_eq!(progress(&house, &url).await, (1_500_000, false));
    // This piece reaches the limit exactly.
    append(&house, &url, 1_500_000, true, &vec![0; 500_000]).await.expect_ok();
}

async fn a_deleted_track_takes_nothing(database: TestDatabase) {
    let house = House::open(database).await;
    let WaitingTrack { track, url, .. } = house.waiting_track().await;
    let bytes = tone();
    send(&house, Method::PUT, &url, &[("upload-complete", "?0")], Body::from(bytes[..5000].to_vec())).await;
    house.delete(&track).await.expect_ok();
    append(&house, &url, 5000, true, &bytes[5000..]).await.expect_error(404, "track_not_found");
    assert_eq!(head(&house, &url).await.status, 404);
    house.clock.advance_seconds(24 * 3600);
    // Bounded: draining a refused body takes no longer.
    tokio::time::timeout(Duration::from_secs(60), house.run_jobs()).await.unwrap();
    assert_eq!(stored_objects(&house).await, []);
}
