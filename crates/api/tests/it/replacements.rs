//! `POST /v1/track/{track_id}/source`: a new file for a track, by every upload method.

use axum::body::Body;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;
use tonearm_fixtures::audio::{WavSpec, wav};

use crate::house::{House, local};
use crate::on_both;
use crate::reply::Reply;

on_both!(
    a_track_gets_a_new_file,
    the_new_file_comes_in_pieces,
    the_new_file_comes_by_tus,
    the_url_is_for_this_replacement_alone,
    what_is_no_sound_changes_nothing,
    a_replacement_can_be_cancelled,
    a_completed_replacement_is_undone,
);

pub(crate) fn longer() -> Vec<u8> {
    wav(&WavSpec { seconds: 1.5, ..WavSpec::default() })
}

struct Replaced {
    house: House,
    track: String,
    url: String,
    before: Value,
}

impl Replaced {
    /// Creates a track that is ready, and requests the URL for its new file.
    async fn ask(database: TestDatabase) -> Self {
        let house = House::open(database).await;
        let track = format!("/v1/track/{}", house.ready_track("Song.wav").await);
        let before = house.get(&track).await.expect_ok().json["track"].clone();
        let url = ask(&house, &track).await;
        Self { house, track, url, before }
    }

    async fn now(&self) -> Value {
        self.house.get(&self.track).await.expect_ok().json["track"].clone()
    }

    async fn send(&self, method: Method, url: &str, headers: &[(&str, &str)], body: Vec<u8>) -> Reply {
        // tus reports the URL of a created upload as a path.
        let path = if url.starts_with('/') { url } else { local(url) };
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        self.house.send(request.body(Body::from(body)).unwrap()).await
    }

    async fn status(&self) -> Value {
        let reply = self.house.get(&format!("{}/source", self.track)).await.expect_ok();
        reply.json["source_replacement"].clone()
    }

    /// Processes the upload, and checks that the track has the new file.
    async fn is_replaced(&self) {
        assert_eq!(self.status().await["status"], "processing");
        assert_eq!(self.now().await["duration"], self.before["duration"]);
        self.house.run_jobs().await;
        let status = self.status().await;
        assert_eq!(status["status"], "completed", "{status}");
        let now = self.now().await;
        assert_eq!((&now["id"], &now["index"]), (&self.before["id"], &self.before["index"]));
        assert_eq!(now["track_status_id"], "ready");
        assert!(now["duration"].as_f64().unwrap() > 1.4, "{now}");
    }
}

async fn ask(house: &House, track: &str) -> String {
    let reply = house.post(&format!("{track}/source"), json!({ "file_name": "New.wav" })).await.expect_ok();
    assert_eq!(reply.json["source_replacement"]["status"], "waiting");
    assert_eq!(reply.json["track_upload"]["method"], "PUT");
    reply.json["track_upload"]["upload_url"].as_str().unwrap().to_owned()
}

async fn a_track_gets_a_new_file(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    let session = json!({ "track_id": replaced.before["id"] });
    let session = replaced.house.post("/v1/play_session/track", session).await.expect_ok();
    let old = session.json["first_track"]["variants"][0]["url"].as_str().unwrap().to_owned();
    replaced.send(Method::PUT, &replaced.url, &[], longer()).await.expect_ok();
    replaced.is_replaced().await;
    assert_eq!(replaced.now().await["file_name"], "New.wav");
    // Listeners of the old file can go on; new sessions get the new one.
    let path = old.split('?').next().unwrap().splitn(4, '/').nth(3).unwrap();
    assert!(replaced.house.blobs.head(&path.parse().unwrap()).await.unwrap().is_some());
    let session = session.json["play_session_id"].as_str().unwrap();
    let track = replaced.before["id"].as_str().unwrap();
    let played = replaced.house.get_open(&format!("/v1/play/{session}/{track}")).await.expect_ok();
    assert!(!played.json.to_string().contains(path));
}

async fn the_new_file_comes_in_pieces(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    let (bytes, url) = (longer(), replaced.url.clone());
    let half = bytes.len() / 2;
    let offset = half.to_string();
    let first = replaced.send(Method::PUT, &url, &[("Upload-Complete", "?0")], bytes[..half].to_vec()).await;
    assert_eq!(first.status, 201);
    let request = Request::head(local(&url)).body(Body::empty()).unwrap();
    let (_, headers, _) = replaced.house.send_raw(request).await;
    assert_eq!(headers["upload-offset"], offset);
    let headers = [
        ("Upload-Complete", "?1"),
        ("Upload-Offset", offset.as_str()),
        ("Content-Type", "application/partial-upload"),
    ];
    replaced.send(Method::PATCH, &url, &headers, bytes[half..].to_vec()).await.expect_ok();
    replaced.is_replaced().await;
    let request = Request::head(local(&url)).body(Body::empty()).unwrap();
    let (_, headers, _) = replaced.house.send_raw(request).await;
    assert_eq!(headers["upload-complete"], "?1");
}

async fn the_new_file_comes_by_tus(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    let bytes = longer();
    let metadata = format!("upload_url {}", BASE64_STANDARD.encode(&replaced.url));
    let length = bytes.len().to_string();
    let headers = [("Tus-Resumable", "1.0.0"), ("Upload-Length", &length), ("Upload-Metadata", &metadata)];
    let created = replaced.send(Method::POST, "/upload/tus", &headers, Vec::new()).await;
    assert_eq!(created.status, 201);
    let upload = created.header("location").unwrap().to_owned();
    let headers = [
        ("Tus-Resumable", "1.0.0"),
        ("Upload-Offset", "0"),
        ("Content-Type", "application/offset+octet-stream"),
    ];
    assert_eq!(replaced.send(Method::PATCH, &upload, &headers, bytes).await.status, 204);
    replaced.is_replaced().await;
}

async fn the_url_is_for_this_replacement_alone(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    let later = ask(&replaced.house, &replaced.track).await;
    let refused = replaced.send(Method::PUT, &replaced.url, &[], longer()).await;
    assert_eq!((refused.status.as_u16(), &refused.json["code"]), (409, &json!("upload_url_used")));
    // The query cannot be left out, nor can that of another replacement be used.
    let (path, query) = later.split_once('?').unwrap();
    let bare = query.split_once('&').unwrap().1;
    for forged in [format!("{path}?{bare}"), format!("{path}?{}", replaced.url.split_once('?').unwrap().1)] {
        let sent = replaced.send(Method::PUT, &forged, &[], longer()).await.status.as_u16();
        assert!(matches!(sent, 401 | 409), "{sent}");
    }
    replaced.send(Method::PUT, &later, &[], longer()).await.expect_ok();
    replaced.is_replaced().await;
    let again = replaced.send(Method::PUT, &later, &[], longer()).await;
    assert_eq!(again.status, 409);
}

async fn what_is_no_sound_changes_nothing(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    replaced.send(Method::PUT, &replaced.url, &[], b"This is a letter.".repeat(100)).await.expect_ok();
    replaced.house.run_jobs().await;
    let status = replaced.status().await;
    assert_eq!(status["status"], "failed");
    assert!(status["reason"].as_str().is_some_and(|reason| !reason.is_empty()), "{status}");
    assert_eq!(replaced.now().await, replaced.before);
    let url = ask(&replaced.house, &replaced.track).await;
    replaced.send(Method::PUT, &url, &[], longer()).await.expect_ok();
    replaced.is_replaced().await;
}

async fn a_completed_replacement_is_undone(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    replaced.send(Method::PUT, &replaced.url, &[], longer()).await.expect_ok();
    replaced.is_replaced().await;
    let path = format!("{}/source", replaced.track);
    // What cancels a replacement never changes the sound.
    let cancelled = replaced.house.call(Method::DELETE, &path, Value::Null).await;
    cancelled.expect_error(409, "replacement_ended");
    let undo = async |replacement_id: &Value| {
        let body = json!({ "replacement_id": replacement_id });
        replaced.house.post(&format!("{path}/undo"), body).await
    };
    let completed = replaced.status().await["id"].clone();
    let undone = undo(&completed).await.expect_ok();
    assert_eq!(undone.json["source_replacement"]["status"], "processing");
    let repeated = undo(&completed).await.expect_ok();
    assert_eq!(repeated.json["source_replacement"], undone.json["source_replacement"]);
    replaced.house.run_jobs().await;
    assert_eq!(replaced.status().await["status"], "completed");
    undo(&completed).await.expect_error(409, "replacement_ended");
    let now = replaced.now().await;
    for field in ["duration", "file_name", "file_name_original", "info", "track_status_id"] {
        assert_eq!(now[field], replaced.before[field], "{field}");
    }
}

async fn a_replacement_can_be_cancelled(database: TestDatabase) {
    let replaced = Replaced::ask(database).await;
    let path = format!("{}/source", replaced.track);
    let piece = replaced.send(Method::PUT, &replaced.url, &[("Upload-Complete", "?0")], longer()).await;
    assert_eq!(piece.status, 201);
    replaced.house.call(Method::DELETE, &path, Value::Null).await.expect_ok();
    assert_eq!(replaced.house.get(&path).await.status, 404);
    let headers = [
        ("Upload-Complete", "?1"),
        ("Upload-Offset", &longer().len().to_string()),
        ("Content-Type", "application/partial-upload"),
    ];
    let refused = replaced.send(Method::PATCH, &replaced.url, &headers, Vec::new()).await;
    assert!(matches!(refused.status.as_u16(), 404 | 409), "{}", refused.status);
    replaced.house.run_jobs().await;
    assert_eq!(replaced.now().await, replaced.before);
}
