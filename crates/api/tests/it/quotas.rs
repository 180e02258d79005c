//! Uploads that are refused before any byte is read, because the queue is too long or a quota is used up.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::Body;
use bytes::Bytes;
use futures::stream;
use http::{Method, Request};
use serde_json::{Value, json};
use tonearm_catalog::ConnectOptions;
use tonearm_domain::{KeyType, Patch, RecordLimits};
use tonearm_fixtures::TestDatabase;
use tonearm_service::UpdateQuotas;

use crate::house::{House, local, tone};
use crate::on_both;
use crate::reply::{Reply, names};
use crate::uploads::{refuse_new_tracks, stored_objects};

on_both!(
    quotas_are_read,
    records_end_at_their_limit,
    nothing_is_added_to_a_full_organization,
    a_full_organization_can_be_made_smaller,
    what_is_announced_has_to_fit,
    an_upload_ends_where_its_quota_does,
    covers_have_to_fit,
    files_have_to_fit,
    a_full_queue_takes_nothing_in_until_it_is_shorter,
    a_track_that_waits_for_its_turn_says_so,
    a_refused_body_is_not_read,
);

fn bytes(limit: u64) -> UpdateQuotas {
    UpdateQuotas { bytes: Patch::Set(limit), ..UpdateQuotas::default() }
}

fn tracks(limit: u64) -> UpdateQuotas {
    UpdateQuotas { tracks: Patch::Set(limit), ..UpdateQuotas::default() }
}

async fn upload_url(house: &House) -> String {
    let created = house.create_track("Song.wav").await;
    created["track_upload"]["upload_url"].as_str().unwrap().to_owned()
}

fn exceeded(reply: Reply) {
    let reply = reply.expect_error(403, "quota_exceeded");
    let message = reply.json["message"].as_str().unwrap();
    assert!(message.contains("quota of ") && message.contains("raise the quota"), "{message}");
}

async fn quotas_are_read(database: TestDatabase) {
    let house = House::open(database).await;
    let none = |used: u64| json!({ "limit": null, "used": used });
    let reply = house.get("/v1/quota").await.expect_ok();
    assert_eq!(reply.keys(""), names("ok api_request_id quota"));
    let quota = &reply.json["quota"];
    assert_eq!(reply.keys("/quota"), names("bytes tracks minutes records metadata"));
    assert_eq!([&quota["bytes"], &quota["tracks"], &quota["minutes"]], [&none(0), &none(0), &none(0)]);
    let (records, metadata) = (quota["records"]["used"].as_u64(), quota["metadata"]["used"].as_u64());
    assert!(records > Some(5) && metadata > Some(100), "{quota}");
    house.post("/v1/creator", json!({ "organization_index": "a".repeat(1000) })).await.expect_ok();
    let quota = house.get("/v1/quota").await.expect_ok().json["quota"].clone();
    // The creator and the entry in the audit log.
    assert_eq!(quota["records"], none(records.unwrap() + 2));
    assert!(quota["metadata"]["used"].as_u64() >= metadata.map(|bytes| bytes + 1000), "{quota}");
    house.set_quotas(UpdateQuotas { minutes: Patch::Set(9), ..bytes(5_000_000) }).await;
    house.ready_track("a.wav").await;
    let quota = house.get("/v1/quota").await.expect_ok().json["quota"].clone();
    assert_eq!(quota["tracks"], none(1));
    assert_eq!(quota["minutes"], json!({ "limit": 9, "used": 1 }));
    assert_eq!(quota["bytes"]["limit"], 5_000_000);
    assert!(quota["bytes"]["used"].as_u64().unwrap() > tone().len() as u64, "{quota}");
    let organization = house.get(&format!("/v1/organization/{}", house.organization_id)).await;
    assert!(!organization.json.to_string().contains("quota"));
}

async fn nothing_is_added_to_a_full_organization(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    house.set_quotas(tracks(1)).await;
    let url = upload_url(&house).await;
    refuse_new_tracks(&house, &session, exceeded).await;
    // The existing track may still receive its bytes.
    house.upload(&url, tone()).await.expect_ok();
    house.set_quotas(tracks(2)).await;
    let url = upload_url(&house).await;
    house.set_quotas(bytes(0)).await;
    refuse_new_tracks(&house, &session, exceeded).await;
    exceeded(house.upload(&url, tone()).await);
    house.set_quotas(UpdateQuotas { bytes: Patch::Clear, ..UpdateQuotas::default() }).await;
    house.upload(&url, tone()).await.expect_ok();
    exceeded(
        house.post("/v1/track", json!({ "collection_id": house.collection_id, "file_name": "a" })).await,
    );
}

/// Everything that adds records, by a key and by a session, with and without an idempotency key.
async fn records_end_at_their_limit(database: TestDatabase) {
    let record_limits = RecordLimits { records: Some(40), metadata: None };
    let house =
        House::open_with(database, ConnectOptions { record_limits, ..ConnectOptions::default() }).await;
    let session = house.upload_session().await;
    let key = house.key_of_type(KeyType::Player).await;
    let hook = json!({ "kind": "collection", "url": "https://example.com/hook" });
    let hook =
        house.post("/v1/webhook", hook).await.expect_ok().json["webhook_id"].as_str().unwrap().to_owned();
    let covered = house.post("/v1/collection", json!({ "title": "Covered" })).await.expect_ok().json;
    let cover = local(covered["collection_cover_upload"]["upload_url"].as_str().unwrap()).to_owned();
    let creator = |index: usize| json!({ "organization_index": index.to_string(), "metadata": { "a": "b" } });
    let mut creators = Vec::new();
    let full = loop {
        let reply = house.post("/v1/creator", creator(creators.len())).await;
        if reply.status != 200 {
            break reply;
        }
        creators.push(reply.json["creator_id"].as_str().unwrap().to_owned());
        assert!(creators.len() < 40, "nothing ends this");
    };
    let exceeded = |reply: Reply| {
        let message = reply.expect_error(403, "quota_exceeded").json["message"].as_str().unwrap().to_owned();
        assert!(message.contains("quota of 40 records, of which 4"), "{message}");
    };
    exceeded(full);
    assert!(!creators.is_empty());
    let collection = json!({ "collection_id": house.collection_id });
    for (path, body) in [
        ("/v1/collection", json!({ "title": "More" })),
        ("/v1/track", json!({ "collection_id": house.collection_id, "file_name": "a.wav" })),
        ("/v1/api_key", json!({ "title": "p", "api_key_type_id": "player" })),
        ("/v1/signing_key", json!({})),
        ("/v1/webhook", json!({ "kind": "track", "url": "https://example.com/hook" })),
        ("/v1/upload_session", collection.clone()),
        ("/v1/play_session/collection", collection.clone()),
    ] {
        exceeded(house.post(path, body.clone()).await);
        let request = Request::post(path)
            .header("authorization", format!("Bearer {}", house.key))
            .header("content-type", "application/json")
            .header("idempotency-key", path);
        exceeded(house.send(request.body(Body::from(body.to_string())).unwrap()).await);
    }
    exceeded(house.call_as(&key, Method::POST, "/v1/play_session/collection", collection).await);
    let track = json!({ "file_name": "a.wav" });
    exceeded(house.call_as("", Method::POST, &format!("/v1/upload/{session}/track"), track).await);
    exceeded(house.put(&format!("/v1/creator/{}", creators[0]), creator(0)).await);
    exceeded(house.post(&format!("/v1/webhook/{hook}/rotate_secret"), Value::Null).await);
    let picture = Body::from(crate::uploads::picture());
    exceeded(house.send(Request::post(&cover).body(picture).unwrap()).await);
    // An expiry is set once; then it could be moved closer without end.
    let player = format!("/v1/api_key/{}", house.key_id(&key).await);
    house.put(&player, json!({ "expires_at": "2030-03-01T00:00:00Z" })).await.expect_ok();
    exceeded(house.put(&player, json!({ "expires_at": "2030-02-01T00:00:00Z" })).await);
    // What ends something is always possible, and so is what adds nothing.
    let quota = house.get("/v1/quota").await.expect_ok().json["quota"].clone();
    assert_eq!(quota["records"]["limit"], 40);
    assert!(quota["records"]["used"].as_u64() >= Some(40), "{quota}");
    house.delete(&format!("/v1/creator/{}", creators[0])).await.expect_ok();
    house.delete(&format!("/v1/upload_session/{session}")).await.expect_ok();
    house.delete(&format!("/v1/collection/{}", house.collection_id)).await.expect_ok();
    house.delete(&format!("/v1/api_key/{}", house.key_id(&key).await)).await.expect_ok();
}

/// Whatever has text or metadata may become smaller while an organization has as much as it may have, and not larger.
async fn a_full_organization_can_be_made_smaller(database: TestDatabase) {
    let record_limits = RecordLimits { records: None, metadata: Some(50_000) };
    let house =
        House::open_with(database, ConnectOptions { record_limits, ..ConnectOptions::default() }).await;
    let exceeded = |reply: Reply| drop(reply.expect_error(403, "quota_exceeded"));
    let metadata = |bytes| json!({ "a": "x".repeat(bytes) });
    let of_collection = json!({ "collection_id": house.collection_id, "file_name": "a.wav" });
    let url = |bytes| format!("https://example.com/{}", "x".repeat(bytes));
    let kinds = [
        ("creator", json!({ "organization_index": "a", "metadata": metadata(1000) })),
        ("collection", json!({ "title": "More", "metadata": metadata(1000) })),
        ("track", merged(&of_collection, &json!({ "metadata": metadata(1000) }))),
        ("api_key", json!({ "title": "x".repeat(150), "api_key_type_id": "player" })),
        ("webhook", json!({ "kind": "track", "url": url(1000) })),
    ];
    let mut made = Vec::new();
    for (kind, body) in kinds {
        let reply = house.post(&format!("/v1/{kind}"), body).await.expect_ok();
        made.push((kind, format!("/v1/{kind}/{}", reply.json[format!("{kind}_id")].as_str().unwrap())));
    }
    let mut creators = 0;
    for (kind, path) in made {
        loop {
            creators += 1;
            let body = json!({ "organization_index": creators.to_string(), "metadata": metadata(4000) });
            let reply = house.post("/v1/creator", body).await;
            if reply.status != 200 {
                exceeded(reply);
                break;
            }
            assert!(creators < 50, "nothing ends this");
        }
        let [larger, smaller] = match kind {
            "api_key" => [200, 1].map(|size| json!({ "title": "x".repeat(size) })),
            "webhook" => [1100, 1].map(|size| json!({ "url": url(size) })),
            _ => [1100, 1].map(|size| json!({ "metadata": metadata(size) })),
        };
        exceeded(house.put(&path, larger).await);
        house.put(&path, smaller).await.expect_ok();
    }
}

fn merged(one: &Value, other: &Value) -> Value {
    let members = [one, other].into_iter().flat_map(|it| it.as_object().unwrap().clone());
    Value::Object(members.collect())
}

/// The sizes of the files of a track are bounded once it is probed. Those that fit are made, in the order of the recipes.
async fn files_have_to_fit(database: TestDatabase) {
    let house = House::open(database).await;
    let bytes_of_source = tone().len() as u64;
    let limit = bytes_of_source + 250_000;
    house.set_quotas(bytes(limit)).await;
    let track = house.waiting_track().await;
    house.upload(&track.url, tone()).await.expect_ok();
    let wav = json!({ "variant_type_id": "transcode", "codec": "wav" });
    for index in ["wav-1", "wav-2", "wav-3"] {
        house.add_recipe(index, wav.clone()).await;
    }
    house.run_jobs().await;
    let read = house.get(&track.track).await.expect_ok().json["track"].clone();
    assert_eq!(read["track_status_id"], "incomplete", "{read}");
    let quota = house.get("/v1/quota").await.expect_ok().json["quota"]["bytes"].clone();
    assert!(quota["used"].as_u64().unwrap() <= limit, "{quota}");
    let files = house
        .catalog()
        .files_of_track(track.track.rsplit('/').next().unwrap().parse().unwrap())
        .await
        .unwrap();
    let reasons: Vec<String> = files
        .iter()
        .filter_map(|file| match &file.outcome {
            tonearm_domain::FileOutcome::Failed { reason } => Some(reason.clone()),
            tonearm_domain::FileOutcome::Made { .. } => None,
        })
        .collect();
    assert!(!reasons.is_empty() && reasons.len() < files.len());
    for reason in reasons {
        assert!(
            reason.contains("this file has up to ") && reason.contains("quota has room for "),
            "{reason}"
        );
    }
    house.set_quotas(UpdateQuotas { bytes: Patch::Clear, ..UpdateQuotas::default() }).await;
    house.post(&format!("{}/retry", track.track), json!({})).await.expect_ok();
    house.run_jobs().await;
    assert_eq!(house.track_status(&track.track).await, "ready");
}

async fn what_is_announced_has_to_fit(database: TestDatabase) {
    let house = House::open(database).await;
    let (url, sound) = (upload_url(&house).await, tone());
    house.set_quotas(bytes(sound.len() as u64 - 1)).await;
    let (read, body) = counted(vec![sound.clone()]);
    let put = Request::put(local(&url)).header("content-length", sound.len()).body(body).unwrap();
    exceeded(house.send(put).await);
    assert!(read.load(Ordering::Relaxed) <= 1 << 20, "no more than what lets the client read the answer");
    house.set_quotas(bytes(sound.len() as u64)).await;
    house.upload(&url, sound).await.expect_ok();
}

async fn an_upload_ends_where_its_quota_does(database: TestDatabase) {
    let house = House::open(database).await;
    let url = upload_url(&house).await;
    house.set_quotas(bytes(100_000)).await;
    let (read, body) = counted(vec![vec![7; 50_000]; 40]);
    let put = Request::put(local(&url)).body(body).unwrap();
    exceeded(house.send(put).await);
    assert!(read.load(Ordering::Relaxed) < 1_900_000, "it was not read to its end");
    assert_eq!(stored_objects(&house).await, []);
    // Larger than any upload may be: the response reports the limit that is reached first.
    house.set_quotas(bytes(100_000_000)).await;
    house.upload(&url, vec![7; 2_000_001]).await.expect_error(413, "too_large");
    house.upload(&url, tone()).await.expect_ok();
}

async fn covers_have_to_fit(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let url = local(created["track_cover_upload"]["upload_url"].as_str().unwrap()).to_owned();
    house.set_quotas(bytes(10)).await;
    let picture = || Body::from(crate::uploads::picture());
    exceeded(house.send(Request::post(&url).body(picture()).unwrap()).await);
    house.set_quotas(bytes(0)).await;
    exceeded(house.send(Request::post(&url).body(picture()).unwrap()).await);
    assert_eq!(stored_objects(&house).await, []);
    house.set_quotas(bytes(1_000_000)).await;
    house.send(Request::post(&url).body(picture()).unwrap()).await.expect_ok();
}

async fn a_full_queue_takes_nothing_in_until_it_is_shorter(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.upload_session().await;
    let neighbour = house.neighbour().await;
    let mut urls = Vec::new();
    for _ in 0..5 {
        urls.push(upload_url(&house).await);
    }
    let last = urls.pop().unwrap();
    let house = house.with_queue_of(4);
    for url in urls {
        house.upload(&url, tone()).await.expect_ok();
    }
    // The measured queue length is cached for a second.
    house.clock.advance_seconds(1);
    let refused = |reply: Reply| {
        let reply = reply.expect_error(503, "queue_full");
        assert_eq!(reply.header("retry-after"), Some("60"));
    };
    refused(house.upload(&last, tone()).await);
    refuse_new_tracks(&house, &session, refused).await;
    // Another organization has its share, which is half of the queue.
    let collection =
        house.call_as(&neighbour, http::Method::POST, "/v1/collection", json!({ "title": "C" })).await;
    let body = json!({ "collection_id": collection.json["collection_id"], "file_name": "n.wav" });
    for number in 0..3 {
        house.clock.advance_seconds(1);
        let created = house.call_as(&neighbour, http::Method::POST, "/v1/track", body.clone()).await;
        if number == 2 {
            refused(created);
            break;
        }
        let created = created.expect_ok();
        let url = created.json["track_upload"]["upload_url"].as_str().unwrap();
        house.upload(url, tone()).await.expect_ok();
    }
    house.run_jobs().await;
    house.clock.advance_seconds(1);
    house.upload(&last, tone()).await.expect_ok();
    assert_eq!(house.create_track("One more.wav").await["ok"], Value::Bool(true));
}

async fn a_track_that_waits_for_its_turn_says_so(database: TestDatabase) {
    let house = House::open(database).await;
    let created = house.create_track("Song.wav").await;
    let id = created["track_id"].as_str().unwrap();
    house.upload(created["track_upload"]["upload_url"].as_str().unwrap(), tone()).await.expect_ok();
    let reason = async || {
        let progress = house.get(&format!("/v1/track/{id}/progress")).await.expect_ok();
        progress.json["status_reason"].clone()
    };
    assert_eq!(reason().await, Value::Null);
    house.clock.advance_seconds(5);
    assert_eq!(reason().await, "Waiting for its turn; other files are being processed.");
    house.run_jobs().await;
    assert_eq!(reason().await, Value::Null);
}

/// The server sends no `100 Continue`. From a client that sends anyway, it reads only enough for the client to receive
/// the response.
async fn a_refused_body_is_not_read(database: TestDatabase) {
    let house = House::open(database).await;
    let url = upload_url(&house).await;
    house.set_quotas(bytes(0)).await;
    let (read, body) = counted(vec![vec![7; 1000]; 100]);
    let put = Request::put(local(&url)).header("expect", "100-continue").body(body).unwrap();
    let reply = house.send(put).await;
    assert_eq!(reply.header("connection"), Some("close"));
    exceeded(reply);
    assert_eq!(read.load(Ordering::Relaxed), 0);
    let (read, body) = counted(vec![vec![7; 100_000]; 100]);
    let reply = house.send(Request::put(local(&url)).body(body).unwrap()).await;
    assert_eq!(reply.header("connection"), Some("close"));
    exceeded(reply);
    assert!(read.load(Ordering::Relaxed) < 1_200_000);
}

/// A body, and the number of bytes that were read from it.
fn counted(chunks: Vec<Vec<u8>>) -> (Arc<AtomicUsize>, Body) {
    let read = Arc::new(AtomicUsize::new(0));
    let counter = read.clone();
    let chunks = chunks.into_iter().map(move |chunk| {
        counter.fetch_add(chunk.len(), Ordering::Relaxed);
        Ok::<_, std::io::Error>(Bytes::from(chunk))
    });
    (read, Body::from_stream(stream::iter(chunks)))
}
