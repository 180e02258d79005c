//! Uploads by the tus protocol, version 1.0.0.

use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use futures::stream;
use http::{Method, Request};
use serde_json::{Value, json};
use sha1::{Digest, Sha1};
use tonearm_domain::{Job, Patch, Upload};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_service::UpdateQuotas;

use crate::house::{House, LIMITS, local, tone};
use crate::on_both;
use crate::reply::Reply;
use crate::uploads::stored_objects;

on_both!(
    the_service_says_what_it_can,
    a_session_permits_uploads,
    an_upload_url_permits_one_upload,
    the_length_may_come_later,
    a_broken_piece_is_kept_as_far_as_it_came,
    checksums_decide_about_a_piece,
    nothing_is_kept_of_a_piece_that_is_too_long,
    parts_are_joined,
    what_arrived_as_a_whole_is_completed,
    parts_of_others_make_no_track,
    a_whole_is_joined_without_its_client,
    uploads_are_terminated,
    methods_can_be_overridden,
    wrong_requests_are_refused,
    nothing_stays_of_what_expires,
    what_has_arrived_counts_in_the_quota,
    of_many_uploads_at_once_the_quota_keeps_what_fits,
    parts_count_once,
);

pub(crate) const STREAM: &str = "application/offset+octet-stream";

pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: http::HeaderMap,
    json: Value,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    #[track_caller]
    pub(crate) fn expect_error(self, status: u16, code: &str) -> Self {
        assert_eq!((self.status, &self.json["code"]), (status, &Value::from(code)), "{}", self.json);
        self
    }
}

pub(crate) async fn send(
    house: &House,
    method: Method,
    url: &str,
    headers: &[(&str, &str)],
    body: Body,
) -> Answer {
    let path = if url.starts_with("https:") { local(url) } else { url };
    let mut request = Request::builder().method(method).uri(path).header("tus-resumable", "1.0.0");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (status, headers, body) = house.send_raw(request.body(body).unwrap()).await;
    if status != 405 {
        assert_eq!(headers["tus-resumable"], "1.0.0");
    }
    Answer { status: status.as_u16(), headers, json: serde_json::from_slice(&body).unwrap_or(Value::Null) }
}

fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(key, value)| format!("{key} {}", BASE64_STANDARD.encode(value)));
    pairs.collect::<Vec<_>>().join(",")
}

/// Begins an upload of this many bytes in a session, and returns its URL.
pub(crate) async fn begin(house: &House, session: &str, length: usize) -> String {
    let (metadata, length) =
        (metadata(&[("upload_session_id", session), ("filename", "Song.wav")]), length.to_string());
    let headers = [("upload-metadata", metadata.as_str()), ("upload-length", length.as_str())];
    let answer = send(house, Method::POST, "/upload/tus", &headers, Body::empty()).await;
    assert_eq!(answer.status, 201, "{}", answer.json);
    answer.header("location").unwrap().to_owned()
}

pub(crate) async fn append(house: &House, url: &str, offset: usize, bytes: &[u8]) -> Answer {
    let offset = offset.to_string();
    let headers = [("content-type", STREAM), ("upload-offset", offset.as_str())];
    send(house, Method::PATCH, url, &headers, Body::from(bytes.to_vec())).await
}

pub(crate) async fn offset(house: &House, url: &str) -> usize {
    let answer = send(house, Method::HEAD, url, &[], Body::empty()).await;
    assert_eq!(answer.status, 200, "{}", answer.json);
    answer.header("upload-offset").unwrap().parse().unwrap()
}

pub(crate) async fn tracks(house: &House) -> Vec<(String, String)> {
    let path = format!("/v1/collection/{}/track", house.collection_id);
    let reply: Reply = house.get(&path).await.expect_ok();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let tracks = reply.json["tracks"].as_array().unwrap().iter();
    tracks.map(|track| (text(&track["file_name"]), text(&track["track_status_id"]))).collect()
}

async fn the_service_says_what_it_can(database: TestDatabase) {
    let house = House::open(database).await;
    let request = Request::options("/upload/tus").body(Body::empty()).unwrap();
    let (status, headers, _) = house.send_raw(request).await;
    assert!(status.is_success());
    assert_eq!(
        (&headers["tus-version"], &headers["tus-resumable"]),
        (&"1.0.0".parse().unwrap(), &"1.0.0".parse().unwrap())
    );
    assert_eq!(headers["tus-max-size"], LIMITS.max_source_bytes.to_string().as_str());
    assert_eq!(headers["tus-checksum-algorithm"], "sha1,sha256,md5,crc32");
    for extension in
        ["creation", "creation-with-upload", "creation-defer-length", "expiration", "termination"]
    {
        assert!(headers["tus-extension"].to_str().unwrap().split(',').any(|known| known == extension));
    }
    assert_eq!(headers["accept-patch"], "application/partial-upload");
    // Requests with another version get the supported version in the response.
    for version in ["0.2.2", ""] {
        let request =
            Request::post("/upload/tus").header("tus-resumable", version).body(Body::empty()).unwrap();
        let reply = house.send(request).await.expect_error(412, "unsupported_tus_version");
        assert_eq!(reply.header("tus-version"), Some("1.0.0"));
    }
}

async fn a_session_permits_uploads(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    let answer = send(&house, Method::HEAD, &url, &[], Body::empty()).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (200, Some("0")));
    assert_eq!(answer.header("upload-length"), Some(bytes.len().to_string().as_str()));
    assert!(answer.header("upload-expires").unwrap().ends_with("GMT"));
    // The session is a credential and is not included in the response.
    assert_eq!(answer.header("upload-metadata"), Some(metadata(&[("filename", "Song.wav")]).as_str()));
    let answer = append(&house, &url, 0, &bytes[..10_000]).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (204, Some("10000")));
    assert_eq!(tracks(&house).await, [("Song.wav".to_owned(), "initialized".to_owned())]);
    let answer = append(&house, &url, 10_000, &bytes[10_000..]).await;
    assert_eq!(answer.status, 204);
    let track = answer.header("tonearm-track-id").unwrap();
    // A client that missed the response learns that the upload is complete.
    assert_eq!(offset(&house, &url).await, bytes.len());
    append(&house, &url, bytes.len(), b"").await.expect_error(409, "upload_complete");
    house.run_jobs().await;
    let ready = house.get(&format!("/v1/track/{track}")).await.expect_ok();
    assert_eq!(ready.json["track"]["track_status_id"], "ready");
    assert_eq!(ready.json["track"]["info"]["size"], bytes.len());
}

async fn an_upload_url_permits_one_upload(database: TestDatabase) {
    let house = House::open(database).await;
    let bytes = tone();
    let created = house.create_track("Mine.wav").await;
    let url = created["track_upload"]["upload_url"].as_str().unwrap();
    let (pairs, length) = (metadata(&[("upload_url", url)]), bytes.len().to_string());
    // Creation with the first bytes.
    let headers =
        [("upload-metadata", pairs.as_str()), ("upload-length", length.as_str()), ("content-type", STREAM)];
    let answer =
        send(&house, Method::POST, "/upload/tus", &headers, Body::from(bytes[..9000].to_vec())).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (201, Some("9000")));
    assert_eq!(answer.header("tonearm-track-id"), created["track_id"].as_str());
    let upload = answer.header("location").unwrap().to_owned();
    assert_eq!(append(&house, &upload, 9000, &bytes[9000..]).await.status, 204);
    house.run_jobs().await;
    assert_eq!(tracks(&house).await, [("Mine.wav".to_owned(), "ready".to_owned())]);
    let headers = [("upload-metadata", pairs.as_str()), ("upload-length", length.as_str())];
    let answer = send(&house, Method::POST, "/upload/tus", &headers, Body::empty()).await;
    answer.expect_error(409, "upload_url_used");
}

async fn the_length_may_come_later(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let pairs = metadata(&[("filename", "Song.wav")]);
    let headers = [("upload-metadata", pairs.as_str()), ("upload-defer-length", "1")];
    // Clients that send some requests without metadata name the session in the query.
    let path = format!("/upload/tus?upload_session_id={session}");
    let answer = send(&house, Method::POST, &path, &headers, Body::empty()).await;
    let url = answer.header("location").unwrap().to_owned();
    append(&house, &url, 0, &bytes[..5000]).await;
    let answer = send(&house, Method::HEAD, &url, &[], Body::empty()).await;
    assert_eq!((answer.header("upload-defer-length"), answer.header("upload-length")), (Some("1"), None));
    let length = bytes.len().to_string();
    let headers = [("content-type", STREAM), ("upload-offset", "5000"), ("upload-length", length.as_str())];
    let answer = send(&house, Method::PATCH, &url, &headers, Body::from(bytes[5000..].to_vec())).await;
    assert_eq!(answer.status, 204);
    house.run_jobs().await;
    assert_eq!(tracks(&house).await, [("Song.wav".to_owned(), "ready".to_owned())]);
}

async fn a_broken_piece_is_kept_as_far_as_it_came(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    let mut at = 0;
    for size in [1, 4095, 4097, 10_000] {
        let sent = Ok(Bytes::copy_from_slice(&bytes[at..at + size]));
        let body = Body::from_stream(stream::iter([sent, Err(std::io::Error::other("gone"))]));
        let from = at.to_string();
        let headers = [("content-type", STREAM), ("upload-offset", from.as_str())];
        send(&house, Method::PATCH, &url, &headers, body).await.expect_error(400, "upload_interrupted");
        at += size;
        assert_eq!(offset(&house, &url).await, at);
    }
    assert_eq!(append(&house, &url, at, &bytes[at..]).await.status, 204);
    house.run_jobs().await;
    assert_eq!(tracks(&house).await, [("Song.wav".to_owned(), "ready".to_owned())]);
}

async fn checksums_decide_about_a_piece(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    let sum = format!("sha1 {}", BASE64_STANDARD.encode(Sha1::digest(&bytes[..5000])));
    let headers = [("content-type", STREAM), ("upload-offset", "0"), ("upload-checksum", sum.as_str())];
    let wrong = send(&house, Method::PATCH, &url, &headers, Body::from(bytes[1..5001].to_vec())).await;
    wrong.expect_error(460, "checksum_mismatch");
    assert_eq!((offset(&house, &url).await, draft_bytes(&house)), (0, 0));
    let right = send(&house, Method::PATCH, &url, &headers, Body::from(bytes[..5000].to_vec())).await;
    assert_eq!(right.status, 204);
    let headers = [("content-type", STREAM), ("upload-offset", "5000"), ("upload-checksum", "sha512 AAAA")];
    let unknown = send(&house, Method::PATCH, &url, &headers, Body::from("x")).await;
    assert_eq!(unknown.expect_error(400, "invalid_parameter").json["field"], "Upload-Checksum");
    assert_eq!(offset(&house, &url).await, 5000);
}

async fn nothing_is_kept_of_a_piece_that_is_too_long(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    let chunks = |count: usize| {
        let chunk = || Ok::<_, std::io::Error>(vec![7; 100_000]);
        Body::from_stream(futures::stream::iter((0..count).map(move |_| chunk())))
    };
    let headers = [("content-type", STREAM), ("upload-offset", "0")];
    // Longer than announced.
    let url = begin(&house, &session, 150_000).await;
    let refused = send(&house, Method::PATCH, &url, &headers, chunks(2)).await;
    assert!((400..500).contains(&refused.status), "{}", refused.status);
    assert_eq!((offset(&house, &url).await, draft_bytes(&house)), (0, 0));
    // Longer than files may be.
    let deferred = metadata(&[("upload_session_id", &session), ("filename", "Song.wav")]);
    let begun = [("upload-metadata", deferred.as_str()), ("upload-defer-length", "1")];
    let begun = send(&house, Method::POST, "/upload/tus", &begun, Body::empty()).await;
    let url = begun.header("location").unwrap().to_owned();
    send(&house, Method::PATCH, &url, &headers, chunks(21)).await.expect_error(413, "too_large");
    assert_eq!((offset(&house, &url).await, draft_bytes(&house)), (0, 0));
}

/// Begins a partial upload of this many bytes in a session, and returns its URL.
pub(crate) async fn begin_part(house: &House, session: &str, length: usize) -> String {
    let (path, length) = (format!("/upload/tus?upload_session_id={session}"), length.to_string());
    let headers = [("upload-concat", "partial"), ("upload-length", length.as_str())];
    let answer = send(house, Method::POST, &path, &headers, Body::empty()).await;
    assert_eq!((answer.status, answer.header("tonearm-track-id")), (201, None), "{}", answer.json);
    answer.header("location").unwrap().to_owned()
}

/// Requests that parts are joined.
pub(crate) async fn join(house: &House, session: &str, parts: &[String]) -> Answer {
    let concat = format!("final;{}", parts.join(" "));
    let pairs = metadata(&[("upload_session_id", session), ("filename", "Joined.wav")]);
    let headers = [("upload-metadata", pairs.as_str()), ("upload-concat", concat.as_str())];
    send(house, Method::POST, "/upload/tus", &headers, Body::empty()).await
}

async fn parts_are_joined(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let mut urls = Vec::new();
    for part in [&bytes[..20_000], &bytes[20_000..]] {
        urls.push(begin_part(&house, &session, part.len()).await);
    }
    // Parts cannot be joined before all bytes are there. The bytes may arrive in any order.
    join(&house, &session, &urls).await.expect_error(400, "invalid_parameter");
    append(&house, &urls[1], 0, &bytes[20_000..]).await;
    append(&house, &urls[0], 0, &bytes[..20_000]).await;
    assert_eq!(tracks(&house).await, []);
    let answer = join(&house, &session, &urls).await;
    assert_eq!(answer.status, 201, "{}", answer.json);
    let joined = answer.header("location").unwrap().to_owned();
    assert_eq!(offset(&house, &joined).await, bytes.len());
    // A client that missed the response repeats the request.
    let again = join(&house, &session, &urls).await;
    assert_eq!((again.status, again.header("location")), (201, Some(joined.as_str())));
    assert_eq!(again.header("tonearm-track-id"), answer.header("tonearm-track-id"));
    house.run_jobs().await;
    assert_eq!(tracks(&house).await, [("Joined.wav".to_owned(), "ready".to_owned())]);
    let track = answer.header("tonearm-track-id").unwrap();
    let ready = house.get(&format!("/v1/track/{track}")).await.expect_ok();
    assert_eq!(ready.json["track"]["info"]["size"], bytes.len());
    // The parts are used up, also for another track.
    let elsewhere = join(&house, &house.upload_session().await, &urls).await;
    elsewhere.expect_error(410, "upload_expired");
    let named = metadata(&[("upload_session_id", session.as_str()), ("filename", "Other.wav")]);
    let concat = format!("final;{}", urls.join(" "));
    let headers = [("upload-metadata", named.as_str()), ("upload-concat", concat.as_str())];
    let other = send(&house, Method::POST, "/upload/tus", &headers, Body::empty()).await;
    other.expect_error(410, "upload_expired");
    assert_eq!(tracks(&house).await.len(), 1);
    assert_eq!(send(&house, Method::HEAD, &urls[0], &[], Body::empty()).await.status, 410);
    forget(&house).await;
    let labels: Vec<_> = stored_objects(&house).await.iter().map(|key| key.file.label.to_string()).collect();
    assert!(!labels.contains(&"upload_part".to_owned()), "{labels:?}");
    // An upload that is not a partial one cannot be joined.
    join(&house, &session, &[joined]).await.expect_error(400, "invalid_parameter");
}

/// The node that received the last bytes has died after it had recorded them.
async fn what_arrived_as_a_whole_is_completed(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let arrived = async |url: &str| {
        assert_eq!(append(&house, url, 0, &bytes).await.status, 204);
        let id = url.rsplit('/').next().unwrap().parse().unwrap();
        let (catalog, lease, now) = (house.catalog(), house.ambient.credential_id(), house.ambient.now());
        let until = now.plus_seconds(1);
        catalog.lease_upload(id, lease, now, until).await.unwrap();
        let upload = catalog.upload(id).await.unwrap().unwrap();
        assert!(upload.is_receiving());
        let upload = Upload { length: Some(upload.offset), ..upload };
        let tx = catalog.begin().await.unwrap();
        assert!(tx.record_upload(&upload, lease, until).await.unwrap());
        tx.commit().await.unwrap();
        catalog.release_upload(id, lease).await.unwrap();
    };
    let url = begin(&house, &session, bytes.len() + 1).await;
    arrived(&url).await;
    assert_eq!(tracks(&house).await[0].1, "initialized");
    // The sender takes this for complete.
    assert_eq!(offset(&house, &url).await, bytes.len());
    house.run_jobs().await;
    assert_eq!(tracks(&house).await[0].1, "ready");

    let parts = [begin_part(&house, &session, bytes.len() + 1).await];
    arrived(&parts[0]).await;
    assert_eq!(join(&house, &session, &parts).await.status, 201);
    house.run_jobs().await;
    let tracks = tracks(&house).await;
    assert!(tracks.len() == 2 && tracks.iter().all(|(_, status)| status == "ready"), "{tracks:?}");
}

async fn parts_of_others_make_no_track(database: TestDatabase) {
    let house = House::open(database).await;
    let neighbour = house.neighbour().await;
    let collection = house.call_as(&neighbour, Method::POST, "/v1/collection", json!({"title": "Theirs"}));
    let theirs = json!({ "collection_id": collection.await.expect_ok().json["collection_id"] });
    let theirs = house.call_as(&neighbour, Method::POST, "/v1/upload_session", theirs).await.expect_ok();
    let bytes = tone();
    let part = begin_part(&house, theirs.json["upload_session_id"].as_str().unwrap(), bytes.len()).await;
    let ours = house.upload_session().await;
    // The response does not even reveal whether the upload is complete.
    join(&house, &ours, std::slice::from_ref(&part)).await.expect_error(404, "upload_not_found");
    append(&house, &part, 0, &bytes).await;
    join(&house, &ours, std::slice::from_ref(&part)).await.expect_error(404, "upload_not_found");
    assert_eq!(tracks(&house).await, []);
    let theirs = theirs.json["upload_session_id"].as_str().unwrap();
    assert_eq!(join(&house, theirs, &[part]).await.status, 201);
}

async fn a_whole_is_joined_without_its_client(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    let bytes = wav(&WavSpec { seconds: 10.0, ..WavSpec::default() });
    let mut parts = Vec::new();
    for part in bytes.chunks(bytes.len() / 3) {
        let url = begin_part(&house, &session, part.len()).await;
        append(&house, &url, 0, part).await;
        parts.push(url);
    }
    let begun = async {
        while tracks(&house).await.is_empty() {
            tokio::task::yield_now().await;
        }
    };
    // The request is dropped as soon as the track exists, by which time the request may already have ended.
    futures::future::select(pin!(join(&house, &session, &parts)), pin!(begun)).await;
    let stored = async {
        while tracks(&house).await[0].1 == "initialized" {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), stored).await.expect("the parts are joined all the same");
    house.run_jobs().await;
    assert_eq!(tracks(&house).await, [("Joined.wav".to_owned(), "ready".to_owned())]);
    assert_eq!(join(&house, &session, &parts).await.status, 201);
    assert_eq!(tracks(&house).await.len(), 1);
}

pub(crate) async fn forget(house: &House) {
    let tx = house.catalog().begin().await.unwrap();
    tx.enqueue(Job::ForgetExpired {}, house.ambient.record_id(), house.ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    house.run_jobs().await;
}

async fn uploads_are_terminated(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    append(&house, &url, 0, &bytes[..5000]).await;
    assert_eq!(send(&house, Method::DELETE, &url, &[], Body::empty()).await.status, 204);
    for method in [Method::HEAD, Method::DELETE] {
        assert_eq!(send(&house, method, &url, &[], Body::empty()).await.status, 404);
    }
    append(&house, &url, 5000, b"x").await.expect_error(404, "upload_not_found");
    // The track stays if the upload was complete.
    let url = begin(&house, &session, bytes.len()).await;
    append(&house, &url, 0, &bytes).await;
    assert_eq!(send(&house, Method::DELETE, &url, &[], Body::empty()).await.status, 204);
    house.run_jobs().await;
    assert_eq!(tracks(&house).await[1].1, "ready");
}

async fn methods_can_be_overridden(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    let headers = [("x-http-method-override", "PATCH"), ("content-type", STREAM), ("upload-offset", "0")];
    let answer = send(&house, Method::POST, &url, &headers, Body::from(bytes[..5000].to_vec())).await;
    assert_eq!((answer.status, answer.header("upload-offset")), (204, Some("5000")));
    send(&house, Method::POST, &url, &[], Body::empty()).await.expect_error(405, "method_not_allowed");
    let delete = [("x-http-method-override", "DELETE")];
    assert_eq!(send(&house, Method::POST, &url, &delete, Body::empty()).await.status, 204);
    assert_eq!(send(&house, Method::HEAD, &url, &[], Body::empty()).await.status, 404);
}

async fn wrong_requests_are_refused(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let named = metadata(&[("upload_session_id", session.as_str()), ("filename", "Song.wav")]);
    let post = async |headers: &[(&str, &str)]| {
        send(&house, Method::POST, "/upload/tus", headers, Body::empty()).await
    };
    let both = [("upload-metadata", named.as_str()), ("upload-length", "5"), ("upload-defer-length", "1")];
    post(&both).await.expect_error(400, "invalid_parameter");
    post(&both[..1]).await.expect_error(400, "invalid_parameter");
    post(&[("upload-metadata", &named), ("upload-length", "-1")])
        .await
        .expect_error(400, "invalid_parameter");
    post(&[("upload-metadata", &named), ("upload-length", "0")]).await.expect_error(400, "invalid_parameter");
    post(&[("upload-metadata", &named), ("upload-length", "2000001")]).await.expect_error(413, "too_large");
    post(&[("upload-metadata", &named), ("upload-concat", "half")])
        .await
        .expect_error(400, "invalid_parameter");
    post(&[("upload-length", "5")]).await.expect_error(401, "missing_upload_credential");
    let nobody =
        metadata(&[("upload_session_id", "0192d1f0-0000-4000-8000-000000000000"), ("filename", "x")]);
    post(&[("upload-metadata", &nobody), ("upload-length", "5")])
        .await
        .expect_error(401, "invalid_upload_session");
    let forged = metadata(&[("upload_url", "https://api.example.com/upload/x/y/source?ttl=3600&verify=1-x")]);
    post(&[("upload-metadata", &forged), ("upload-length", "5")])
        .await
        .expect_error(401, "invalid_upload_url");
    let nameless = metadata(&[("upload_session_id", session.as_str())]);
    post(&[("upload-metadata", &nameless), ("upload-length", "5")])
        .await
        .expect_error(400, "invalid_parameter");
    assert_eq!(tracks(&house).await, []);

    let url = begin(&house, &session, bytes.len()).await;
    append(&house, &url, 0, &bytes[..5000]).await;
    let answer = append(&house, &url, 1, b"x").await.expect_error(409, "upload_offset_mismatch");
    assert_eq!(answer.header("upload-offset"), Some("5000"));
    append(&house, &url, 5000, &bytes).await.expect_error(400, "inconsistent_upload_length");
    let headers = [("content-type", "audio/wav"), ("upload-offset", "5000")];
    let answer = send(&house, Method::PATCH, &url, &headers, Body::from("x")).await;
    answer.expect_error(415, "unsupported_media_type");
    let answer = send(&house, Method::PATCH, &url, &[("content-type", STREAM)], Body::from("x")).await;
    answer.expect_error(400, "invalid_parameter");
    send(&house, Method::GET, &url, &[], Body::empty()).await.expect_error(405, "method_not_allowed");
    assert_eq!(send(&house, Method::HEAD, "/upload/tus/nonsense", &[], Body::empty()).await.status, 400);
    assert_eq!(offset(&house, &url).await, 5000);
}

async fn nothing_stays_of_what_expires(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    let url = begin(&house, &session, bytes.len()).await;
    append(&house, &url, 0, &bytes[..5000]).await;
    let path = format!("/upload/tus?upload_session_id={session}");
    let headers = [("upload-concat", "partial"), ("upload-length", "5000")];
    let part = send(&house, Method::POST, &path, &headers, Body::empty()).await;
    append(&house, part.header("location").unwrap(), 0, &bytes[..5000]).await;
    assert_eq!(stored_objects(&house).await.len(), 1);
    house.clock.advance_seconds(24 * 3600);
    append(&house, &url, 5000, b"x").await.expect_error(410, "upload_expired");
    forget(&house).await;
    assert_eq!(stored_objects(&house).await, []);
    assert_eq!(std::fs::read_dir(house.store().join("objects/.tmp")).unwrap().count(), 0);
    assert_eq!(tracks(&house).await, [("Song.wav".to_owned(), "init_error".to_owned())]);
    assert_eq!(send(&house, Method::HEAD, &url, &[], Body::empty()).await.status, 404);
}

async fn limit_bytes(house: &House, limit: usize) {
    house.set_quotas(UpdateQuotas { bytes: Patch::Set(limit as u64), ..UpdateQuotas::default() }).await;
}

async fn used_bytes(house: &House) -> u64 {
    house.get("/v1/quota").await.expect_ok().json["quota"]["bytes"]["used"].as_u64().unwrap()
}

/// Bytes of unfinished uploads on the disk.
fn draft_bytes(house: &House) -> u64 {
    let files = std::fs::read_dir(house.store().join("objects/.tmp")).unwrap();
    files.map(|file| file.unwrap().metadata().unwrap().len()).sum()
}

async fn what_has_arrived_counts_in_the_quota(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    let bytes = tone();
    let whole = begin(&house, &session, bytes.len()).await;
    let other = begin(&house, &session, 6000).await;
    limit_bytes(&house, bytes.len() + 100).await;
    assert_eq!(append(&house, &whole, 0, &bytes[..bytes.len() - 1000]).await.status, 204);
    assert_eq!(used_bytes(&house).await, bytes.len() as u64 - 1000);
    append(&house, &other, 0, &[7; 6000]).await.expect_error(403, "quota_exceeded");
    assert_eq!((offset(&house, &other).await, draft_bytes(&house)), (0, bytes.len() as u64 - 1000));
    // Completing an upload adds only what is missing.
    assert_eq!(append(&house, &whole, bytes.len() - 1000, &bytes[bytes.len() - 1000..]).await.status, 204);
    assert_eq!(used_bytes(&house).await, bytes.len() as u64);
    limit_bytes(&house, bytes.len() + 6000).await;
    assert_eq!(append(&house, &other, 0, &[7; 5000]).await.status, 204);
    assert_eq!(used_bytes(&house).await, bytes.len() as u64 + 5000);
    assert_eq!(send(&house, Method::DELETE, &other, &[], Body::empty()).await.status, 204);
    assert_eq!(used_bytes(&house).await, bytes.len() as u64);
}

async fn of_many_uploads_at_once_the_quota_keeps_what_fits(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    limit_bytes(&house, 10_000).await;
    let mut urls = Vec::new();
    for _ in 0..6 {
        let path = format!("/upload/tus?upload_session_id={session}");
        let pairs = metadata(&[("filename", "Song.wav")]);
        let headers = [("upload-metadata", pairs.as_str()), ("upload-defer-length", "1")];
        let answer = send(&house, Method::POST, &path, &headers, Body::empty()).await;
        urls.push(answer.header("location").unwrap().to_owned());
    }
    let pieces = urls.iter().map(|url| append(&house, url, 0, &[7; 6000]));
    let answers = futures::future::join_all(pieces).await;
    let (kept, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 204);
    assert_eq!(kept.len(), 1);
    for answer in refused {
        answer.expect_error(403, "quota_exceeded");
    }
    assert_eq!((used_bytes(&house).await, draft_bytes(&house)), (6000, 6000));
}

/// More than the drawn covers of a track take.
const COVERS: u64 = 256 * 1024;

async fn parts_count_once(database: TestDatabase) {
    let house = House::open(database).await;
    let (session, bytes) = (house.upload_session().await, tone());
    // A new track needs room for a byte.
    limit_bytes(&house, bytes.len() + 1).await;
    let mut urls = Vec::new();
    for part in [&bytes[..20_000], &bytes[20_000..]] {
        let url = begin_part(&house, &session, part.len()).await;
        assert_eq!(append(&house, &url, 0, part).await.status, 204);
        urls.push(url);
    }
    assert_eq!(used_bytes(&house).await, bytes.len() as u64);
    let answer = join(&house, &session, &urls).await;
    assert_eq!(answer.status, 201, "{}", answer.json);
    // Until the parts are removed, their bytes are there, too.
    assert_eq!(used_bytes(&house).await, 2 * bytes.len() as u64);
    forget(&house).await;
    // A cover was drawn meanwhile; the files of the recipes did not fit.
    let used = used_bytes(&house).await;
    assert!((bytes.len() as u64..bytes.len() as u64 + COVERS).contains(&used), "{used}");
    assert_eq!(draft_bytes(&house), 0);
}
