//! The state of a job, and the progress of a track.

use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tonearm_catalog::Wait;
use tonearm_domain::{KeyType, Outage};
use tonearm_fixtures::TestDatabase;
use tonearm_service::CreateKey;
use tower::ServiceExt;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

on_both!(
    a_job_is_told_of_until_a_week_later,
    a_job_without_its_track_is_cancelled,
    a_job_that_was_done_stays_done,
    a_job_is_only_told_to_those_who_reach_its_track,
    progress_is_told_variant_by_variant,
    progress_is_streamed_until_the_track_is_ready,
    a_stream_ends_with_its_key,
    streams_are_bounded_for_each_key,
    a_stream_ends_with_the_node,
);

async fn with_own_variant(house: &House, track: &str) -> String {
    let own = json!({ "variant_type_id": "transcode", "index": "own", "codec": "mp3" });
    let added = house.post(&format!("/v1/track/{track}/variant"), own).await.expect_ok();
    added.json["job_id"].as_str().unwrap().to_owned()
}

async fn a_job_is_told_of_until_a_week_later(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let job = with_own_variant(&house, &track).await;
    let path = format!("/v1/job/{job}");
    let queued = house.get(&path).await.expect_ok();
    assert_eq!(queued.keys(""), names("ok api_request_id job_id job"));
    let expected = json!({
        "id": job, "kind": "process_track", "status": "queued", "reason": null, "track_id": track,
        "attempts": 0, "next_attempt_at": "2030-01-01T00:00:00.000Z",
    });
    assert_eq!(queued.json["job"], expected);
    let now = house.ambient.now();
    let lease = house.ambient.credential_id();
    let claimed = house.catalog().claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
    let running = house.get(&path).await.expect_ok();
    assert_eq!(
        (&running.json["job"]["status"], &running.json["job"]["attempts"]),
        (&json!("running"), &json!(1))
    );
    assert!(house.catalog().retry_job(&claimed, now.plus_seconds(9), "a secret").await.unwrap());
    let waiting = house.get(&path).await.expect_ok();
    assert_eq!(waiting.json["job"]["status"], "waiting");
    assert_eq!(waiting.json["job"]["next_attempt_at"], "2030-01-01T00:00:09.000Z");
    assert!(!waiting.json.to_string().contains("secret"));
    house.clock.advance_seconds(9);
    let now = house.ambient.now();
    let lease = house.ambient.credential_id();
    let claimed = house.catalog().claim_job(now, lease, now.plus_seconds(60)).await.unwrap().unwrap();
    let outage = Outage::Store;
    let wait =
        Wait { outage, failed_at: now, run_at: now.plus_seconds(5), probe_at: None, reason: "a secret" };
    assert!(house.catalog().wait_job(&claimed, wait).await.unwrap());
    let waiting = house.get(&path).await.expect_ok();
    assert_eq!(waiting.json["job"]["status"], "waiting");
    assert_eq!(waiting.json["job"]["reason"], outage.sentence());
    house.clock.advance_seconds(5);
    house.run_jobs().await;
    let done = house.get(&path).await.expect_ok();
    let expected = json!({
        "id": job, "kind": "process_track", "status": "done", "reason": null, "track_id": track,
        "attempts": null, "next_attempt_at": null,
    });
    assert_eq!(done.json["job"], expected);
    let unknown = house.ambient.record_id::<tonearm_domain::JobId>();
    house.get(&format!("/v1/job/{unknown}")).await.expect_error(404, "job_not_found");
    house.get("/v1/job/x").await.expect_field("job_id");
}

async fn a_job_without_its_track_is_cancelled(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let job = with_own_variant(&house, &track).await;
    house.delete(&format!("/v1/track/{track}")).await.expect_ok();
    house.run_jobs().await;
    let cancelled = house.get(&format!("/v1/job/{job}")).await.expect_ok();
    assert_eq!(cancelled.json["job"]["status"], "cancelled");
    assert_eq!(cancelled.json["job"]["reason"], "the track or the variant was deleted");
}

async fn a_job_that_was_done_stays_done(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let job = with_own_variant(&house, &track).await;
    house.run_jobs().await;
    let status = async || {
        let reply = house.get(&format!("/v1/job/{job}")).await.expect_ok();
        (reply.json["job"]["status"].clone(), reply.json["job"]["reason"].clone())
    };
    assert_eq!(status().await, (json!("done"), Value::Null));
    house.delete(&format!("/v1/track/{track}")).await.expect_ok();
    assert_eq!(status().await, (json!("done"), Value::Null));
    // Purged, nothing is known of its files any more.
    house.run_jobs().await;
    assert_eq!(status().await, (json!("done"), Value::Null));
}

async fn a_job_is_only_told_to_those_who_reach_its_track(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.ready_track("Song.wav").await;
    let job = with_own_variant(&house, &track).await;
    let own = house.collection_id.clone();
    let other = house.create_collection("Other").await;
    let (to_own, to_other) = (house.key_to_collection(&own).await, house.key_to_collection(&other).await);
    let neighbour = house.neighbour().await;
    let path = format!("/v1/job/{job}");
    for _ in 0..2 {
        house.call_as(&to_own, Method::GET, &path, Value::Null).await.expect_ok();
        for key in [&to_other, &neighbour] {
            let reply = house.call_as(key, Method::GET, &path, Value::Null).await;
            reply.expect_error(404, "job_not_found");
        }
        // In the second pass, the job has ended.
        house.run_jobs().await;
    }
}

async fn progress_is_told_variant_by_variant(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let track = created["track_id"].as_str().unwrap();
    let path = format!("/v1/track/{track}/progress");
    let waiting = house.get(&path).await.expect_ok();
    assert_eq!(
        waiting.keys(""),
        names("ok api_request_id track_id track_status_id status_reason percent variants")
    );
    assert_eq!(waiting.keys("/variants/0"), names("index status percent reason"));
    assert_eq!(
        (&waiting.json["track_status_id"], &waiting.json["percent"]),
        (&json!("initialized"), &json!(0))
    );
    house
        .upload(created["track_upload"]["upload_url"].as_str().unwrap(), crate::house::tone())
        .await
        .expect_ok();
    house.run_jobs().await;
    let ready = house.get(&path).await.expect_ok();
    assert_eq!((&ready.json["track_status_id"], &ready.json["percent"]), (&json!("ready"), &json!(100)));
    let variants = ready.json["variants"].as_array().unwrap();
    assert!(variants.iter().all(|variant| variant["status"] == "made" && variant["percent"] == 100));
    let html = Request::get(&path).header("authorization", format!("Bearer {}", house.key));
    let html = house.send(html.header("accept", "text/html").body(Body::empty()).unwrap()).await;
    html.expect_error(406, "not_acceptable");
}

/// An open stream of events.
struct Events {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
    text: String,
}

impl Events {
    async fn open(house: &House, key: &str, track: &str) -> Self {
        let request = Request::get(format!("/v1/track/{track}/progress"))
            .header("authorization", format!("Bearer {key}"))
            .header("accept", "text/event-stream");
        let response = house.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        Self { status: parts.status, headers: parts.headers, body, text: String::new() }
    }

    /// The name and the data of the next event, without comments; `None` at the end.
    async fn next(&mut self) -> Option<(String, Value)> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let field = |name: &str| {
                    event.lines().find_map(|line| line.strip_prefix(name)).map(str::trim).map(str::to_owned)
                };
                let told = field("event:").zip(field("data:"));
                self.text = rest.to_owned();
                match told {
                    Some((name, data)) => return Some((name, serde_json::from_str(&data).unwrap())),
                    None => continue,
                }
            }
            let frame = self.body.frame().await?.unwrap();
            self.text.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
        }
    }
}

async fn progress_is_streamed_until_the_track_is_ready(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let track = created["track_id"].as_str().unwrap();
    let mut events = Events::open(&house, &house.key, track).await;
    assert_eq!(events.status, StatusCode::OK);
    assert_eq!(events.headers["content-type"], "text/event-stream");
    let (name, first) = events.next().await.unwrap();
    assert_eq!((name.as_str(), &first["track_status_id"]), ("progress", &json!("initialized")));
    assert_eq!(crate::reply::keys(&first), names("track_id track_status_id status_reason percent variants"));
    house
        .upload(created["track_upload"]["upload_url"].as_str().unwrap(), crate::house::tone())
        .await
        .expect_ok();
    let (_, second) = events.next().await.unwrap();
    assert_eq!(second["track_status_id"], "processing");
    house.run_jobs().await;
    let mut last = second;
    while let Some((name, progress)) = events.next().await {
        assert_eq!(name, "progress");
        last = progress;
    }
    assert_eq!((&last["track_status_id"], &last["percent"]), (&json!("ready"), &json!(100)));
    // For a track that is ready from the start, the stream sends one event and ends.
    let mut events = Events::open(&house, &house.key, track).await;
    assert_eq!(events.next().await.unwrap().1["track_status_id"], "ready");
    assert_eq!(events.next().await, None);
    let unknown = house.ambient.record_id::<tonearm_domain::TrackId>().to_string();
    assert_eq!(Events::open(&house, &house.key, &unknown).await.status, StatusCode::NOT_FOUND);
}

async fn a_stream_ends_with_its_key(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("Song.wav").await["track_id"].as_str().unwrap().to_owned();
    let key = house.key_to_collection(&house.collection_id).await;
    let mut events = Events::open(&house, &key, &track).await;
    events.next().await.unwrap();
    house.revoke(&key).await;
    let (name, error) = events.next().await.unwrap();
    assert_eq!((name.as_str(), &error["code"]), ("error", &json!("invalid_api_key")));
    assert_eq!(events.next().await, None);
    // The same applies to a track that is deleted.
    let mut events = Events::open(&house, &house.key, &track).await;
    events.next().await.unwrap();
    house.delete(&format!("/v1/track/{track}")).await.expect_ok();
    assert_eq!(events.next().await.unwrap().1["code"], "track_not_found");
    assert_eq!(events.next().await, None);
}

async fn streams_are_bounded_for_each_key(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("Song.wav").await["track_id"].as_str().unwrap().to_owned();
    let mut open = Vec::new();
    for _ in 0..64 {
        open.push(Events::open(&house, &house.key, &track).await);
        assert_eq!(open.last().unwrap().status, StatusCode::OK);
    }
    let refused = Events::open(&house, &house.key, &track).await;
    assert_eq!(
        (refused.status, &refused.headers["retry-after"]),
        (StatusCode::TOO_MANY_REQUESTS, &"15".parse().unwrap())
    );
    // Another key has its own limit, and closing a stream frees its place.
    let other = house.key(CreateKey::new(KeyType::Api, "Other")).await;
    assert_eq!(Events::open(&house, &other, &track).await.status, StatusCode::OK);
    drop(open.pop());
    assert_eq!(Events::open(&house, &house.key, &track).await.status, StatusCode::OK);
}

async fn a_stream_ends_with_the_node(database: TestDatabase) {
    let house = House::open(database).await;
    let track = house.create_track("Song.wav").await["track_id"].as_str().unwrap().to_owned();
    let mut events = Events::open(&house, &house.key, &track).await;
    events.next().await.unwrap();
    house.shutdown.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(60), events.next()).await;
    assert_eq!(ended.unwrap(), None);
}
