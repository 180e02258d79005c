//! `Idempotency-Key`: a repeated request is processed once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request as AnyRequest;
use axum::middleware::{Next, from_fn};
use futures::future::join_all;
use http::Request;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tonearm_api::ApiSettings;
use tonearm_catalog::{Backend, Change, ConnectOptions, Transaction};
use tonearm_fixtures::{FailedReadings, TestDatabase};
use tonearm_service::IdempotentRequest;

use crate::house::House;
use crate::on_both;
use crate::reply::Reply;

on_both!(
    a_repeated_post_gets_the_first_answer,
    only_the_same_request_is_a_repetition,
    only_successes_are_kept,
    answers_are_for_who_is_still_let_in,
    upload_sessions_repeat_too,
    many_at_once_are_done_once,
    a_client_that_goes_away_has_its_request_done,
    a_request_that_takes_too_long_goes_on,
    an_answer_is_kept_with_what_was_done,
    a_request_needs_one_connection,
);

async fn post(house: &House, key: &str, path: &str, repeat: &str, body: &Value) -> Reply {
    let mut request = Request::post(path).header("content-type", "application/json");
    if !key.is_empty() {
        request = request.header("authorization", format!("Bearer {key}"));
    }
    let request = request.header("idempotency-key", repeat).body(Body::from(body.to_string()));
    house.send(request.unwrap()).await
}

fn track(house: &House) -> Value {
    json!({ "collection_id": house.collection_id, "file_name": "once.wav" })
}

async fn count(house: &House) -> u64 {
    let list = house.get(&format!("/v1/collection/{}/track", house.collection_id)).await.expect_ok();
    list.json["count"].as_u64().unwrap()
}

async fn a_repeated_post_gets_the_first_answer(database: TestDatabase) {
    let house = House::open(database).await;
    let first = post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    house.clock.advance_seconds(3600);
    let second = post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    assert_eq!(first.json, second.json);
    assert_eq!(first.header("idempotency-replayed"), None);
    assert_eq!(second.header("idempotency-replayed"), Some("true"));
    assert_eq!(second.header("content-type"), Some("application/json"));
    assert_eq!(count(&house).await, 1);
    house.clock.advance_seconds(23 * 3600);
    post(&house, &house.key, "/v1/track", "order-1", &track(&house)).await.expect_ok();
    assert_eq!(count(&house).await, 2, "after a day the key is free");
}

async fn only_the_same_request_is_a_repetition(database: TestDatabase) {
    let house = House::open(database).await;
    post(&house, &house.key, "/v1/track", "k", &track(&house)).await.expect_ok();
    let other = json!({ "collection_id": house.collection_id, "file_name": "other.wav" });
    post(&house, &house.key, "/v1/track", "k", &other).await.expect_error(422, "idempotency_key_reused");
    let session = json!({ "collection_id": house.collection_id });
    post(&house, &house.key, "/v1/upload_session", "k", &session)
        .await
        .expect_error(422, "idempotency_key_reused");
    // The same key of another caller is a different key.
    let neighbour = house.neighbour().await;
    let made = post(&house, &neighbour, "/v1/collection", "k", &json!({ "title": "Theirs" })).await;
    assert_eq!(made.expect_ok().header("idempotency-replayed"), None);
    for bad in ["", &"x".repeat(256)] {
        post(&house, &house.key, "/v1/track", bad, &track(&house)).await.expect_field("Idempotency-Key");
    }
}

async fn only_successes_are_kept(database: TestDatabase) {
    let house = House::open(database).await;
    let wrong = json!({ "collection_id": house.collection_id, "file_name": "" });
    post(&house, &house.key, "/v1/track", "k", &wrong).await.expect_field("file_name");
    post(&house, &house.key, "/v1/track", "k", &track(&house)).await.expect_ok();
    assert_eq!(count(&house).await, 1);
}

async fn answers_are_for_who_is_still_let_in(database: TestDatabase) {
    let house = House::open(database).await;
    let body = json!({ "title": "t", "api_key_type_id": "player" });
    let first = post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_ok();
    let again = post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_ok();
    assert_eq!(first.json, again.json, "the secret is told again to who was told before");
    post(&house, "", "/v1/api_key", "k", &body).await.expect_error(401, "missing_api_key");
    post(&house, "nonsense", "/v1/api_key", "k", &body).await.expect_error(401, "invalid_api_key");
    house.revoke(&house.key).await;
    post(&house, &house.key, "/v1/api_key", "k", &body).await.expect_error(401, "invalid_api_key");
}

async fn upload_sessions_repeat_too(database: TestDatabase) {
    let house = House::open(database).await;
    let session = house.post("/v1/upload_session", json!({ "collection_id": house.collection_id })).await;
    let path = format!("/v1/upload/{}/track", session.json["upload_session_id"].as_str().unwrap());
    let body = json!({ "file_name": "memo.wav" });
    let first = post(&house, "", &path, "k", &body).await.expect_ok();
    let again = post(&house, "", &path, "k", &body).await.expect_ok();
    assert_eq!(first.json["track_id"], again.json["track_id"]);
    house.clock.advance_seconds(3600);
    post(&house, "", &path, "k", &body).await.expect_error(401, "invalid_upload_session");
}

/// A credential of which nothing is known is not one that is refused.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_done_twice_while_the_database_is_away_for_a_moment() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let readings = FailedReadings::of(&database.url, "upload_session");
    let house = House::open(database).await;
    let session = house.post("/v1/upload_session", json!({ "collection_id": house.collection_id })).await;
    let path = format!("/v1/upload/{}/track", session.json["upload_session_id"].as_str().unwrap());
    let body = json!({ "file_name": "memo.wav" });
    readings.choose(1);
    assert_eq!(post(&house, "", &path, "k", &body).await.status, 503);
    let first = post(&house, "", &path, "k", &body).await.expect_ok();
    // The look-ups of a repetition: before the stored answer is read, and after.
    for nth in 1..=2 {
        readings.choose(nth);
        assert_eq!(post(&house, "", &path, "k", &body).await.status, 503, "look-up {nth}");
    }
    let again = post(&house, "", &path, "k", &body).await.expect_ok();
    assert_eq!(first.json["track_id"], again.json["track_id"]);
    assert_eq!(count(&house).await, 1);
}

async fn many_at_once_are_done_once(database: TestDatabase) {
    let house = House::open(database).await;
    let (body, mut first) = (track(&house), None);
    let replies = join_all((0..16).map(|_| post(&house, &house.key, "/v1/track", "k", &body))).await;
    // Requests that arrive while the first is being processed wait for its response.
    for reply in replies {
        let reply = reply.expect_ok();
        let first = first.get_or_insert_with(|| reply.json["track_id"].clone());
        assert_eq!(reply.json["track_id"], *first);
    }
    assert_eq!(count(&house).await, 1);
}

/// Sends a request that creates a track, and holds it up in the middle: it has claimed its idempotency key, but cannot
/// write the track before the returned transaction is dropped.
async fn held_up<T>(house: &House, repeat: &str, send: impl Future<Output = T>) -> (Transaction, T) {
    let begin = async || house.catalog().begin().await.unwrap();
    let caller = Sha256::digest(&house.key).into();
    let organization_id = house.organization_id;
    let request = IdempotentRequest { caller, organization_id, key: repeat.to_owned(), fingerprint: [0; 32] };
    let is_claimed =
        async || house.catalog().repetition(&request, house.ambient.now()).await.unwrap().is_some();
    // On PostgreSQL the collection is locked.
    let mut lock = begin().await;
    if house.catalog().backend() == Backend::Postgres {
        lock.collection(house.organization_id, house.collection_id.parse().unwrap()).await.unwrap().unwrap();
    } else {
        drop(lock);
        lock = begin().await;
    }
    let sent = send.await;
    let claimed = async {
        while !is_claimed().await {
            if house.catalog().backend() == Backend::Sqlite {
                // There is one writer, and waiting writers are served in turn.
                drop(lock);
                lock = begin().await;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        lock
    };
    (tokio::time::timeout(Duration::from_secs(30), claimed).await.unwrap(), sent)
}

/// Regression: of 6 keys whose client had disconnected, 4 created a second track.
async fn a_client_that_goes_away_has_its_request_done(database: TestDatabase) {
    let house = House::open(database).await;
    let (gone, mut is_gone) = mpsc::unbounded_channel::<()>();
    // Reports when the server drops a request.
    let watched = house.router.clone().layer(from_fn(move |request: AnyRequest, next: Next| {
        let until_dropped = Dropped(gone.clone());
        async move {
            let response = next.run(request).await;
            drop(until_dropped);
            response
        }
    }));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, watched).await });
    let body = track(&house).to_string();
    let head = format!(
        "POST /v1/track HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Idempotency-Key: k\r\nContent-Length: {}\r\n\r\n{body}",
        house.key,
        body.len()
    );
    let send = async {
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(head.as_bytes()).await.unwrap();
        client
    };
    let (lock, client) = held_up(&house, "k", send).await;
    drop(client);
    tokio::time::timeout(Duration::from_secs(30), is_gone.recv()).await.unwrap();
    let body = track(&house);
    let repeated = post(&house, &house.key, "/v1/track", "k", &body);
    let (repeated, ()) = tokio::join!(repeated, async { drop(lock) });
    let repeated = repeated.expect_ok();
    assert_eq!(repeated.header("idempotency-replayed"), Some("true"));
    assert_eq!(count(&house).await, 1);
}

struct Dropped(mpsc::UnboundedSender<()>);

impl Drop for Dropped {
    fn drop(&mut self) {
        // The receiver may be gone if the test has ended.
        let _ = self.0.send(());
    }
}

#[expect(clippy::async_yields_async, reason = "the request goes on while the test looks at something else")]
async fn a_request_that_takes_too_long_goes_on(database: TestDatabase) {
    let settings = ApiSettings { request_timeout: Duration::from_secs(1), ..ApiSettings::default() };
    let house = House::open(database).await.with(settings);
    let first = {
        let (router, key, body) = (house.router.clone(), house.key.clone(), track(&house).to_string());
        async move {
            tokio::spawn(async move {
                let request = Request::post("/v1/track")
                    .header("content-type", "application/json")
                    .header("authorization", format!("Bearer {key}"))
                    .header("idempotency-key", "k");
                let request = request.body(Body::from(body)).unwrap();
                Reply::of(tower::ServiceExt::oneshot(router, request).await.unwrap()).await
            })
        }
    };
    let (lock, first) = held_up(&house, "k", first).await;
    first.await.unwrap().expect_error(503, "timeout");
    let early = post(&house, &house.key, "/v1/track", "k", &track(&house)).await;
    // Under load, looking up the key alone may take the rest of the second.
    assert!(matches!(early.status.as_u16(), 409 | 503), "{}", early.json);
    assert!(early.header("retry-after").is_some());
    drop(lock);
    let mut replies = Vec::new();
    while replies.last().is_none_or(|reply: &Reply| reply.status != 200) {
        assert!(replies.len() < 30, "{}", replies.last().unwrap().json);
        replies.push(post(&house, &house.key, "/v1/track", "k", &track(&house)).await);
    }
    assert_eq!(replies.last().unwrap().header("idempotency-replayed"), Some("true"));
    assert_eq!(count(&house).await, 1);
}

/// The request dies right after its commit, before anything else can happen.
async fn an_answer_is_kept_with_what_was_done(database: TestDatabase) {
    let house = House::open(database).await;
    let path = format!("/v1/track/{}/variant", house.ready_track("Song.wav").await);
    let body = json!({ "index": "own", "variant_type_id": "preview" });
    let dies = Arc::new(AtomicBool::new(true));
    house.catalog().on_commit({
        let dies = Arc::clone(&dies);
        move |changes| {
            let added = changes.iter().any(|change| matches!(change, Change::Recipes(_)));
            assert!(!added || !dies.load(Ordering::SeqCst), "killed");
        }
    });
    // The outcome is looked up: the commit succeeded, and the response was stored with it.
    post(&house, &house.key, &path, "k", &body).await.expect_ok();
    dies.store(false, Ordering::SeqCst);
    let repeated = post(&house, &house.key, &path, "k", &body).await.expect_ok();
    assert_eq!(repeated.header("idempotency-replayed"), Some("true"));
    let id = repeated.json["variant_id"].as_str().unwrap();
    house.get(&format!("/v1/variant/{id}")).await.expect_ok();
    post(&house, &house.key, &path, "other", &body).await.expect_error(409, "already_exists");
}

/// Requests that hold one connection and wait for another would wait for each other.
async fn a_request_needs_one_connection(database: TestDatabase) {
    let options = ConnectOptions {
        max_connections: 1,
        acquire_timeout: Duration::from_secs(10),
        ..ConnectOptions::default()
    };
    let house = House::open_with(database, options).await;
    let track_id = house.ready_track("Song.wav").await;
    let failed = house.ready_track_of("Text.wav", b"no sound".repeat(1000)).await;
    let collection_id = &house.collection_id;
    let requests = [
        ("/v1/play_session/collection", json!({ "collection_id": collection_id, "variants": ["hq"] })),
        ("/v1/play_session/track", json!({ "track_id": track_id })),
        (&format!("/v1/track/{failed}/retry"), json!({})),
        ("/v1/track", track(&house)),
        ("/v1/collection", json!({ "title": "Second" })),
        ("/v1/upload_session", json!({ "collection_id": collection_id })),
        ("/v1/api_key", json!({ "api_key_type_id": "player", "title": "Second" })),
        (&format!("/v1/track/{track_id}/variant"), json!({ "index": "own", "variant_type_id": "preview" })),
    ];
    for (place, (path, body)) in requests.iter().enumerate() {
        let reply = post(&house, &house.key, path, &place.to_string(), body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.json);
    }
}
