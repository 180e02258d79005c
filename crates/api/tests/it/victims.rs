//! Requests whose transactions PostgreSQL ends in favour of others, at any of their statements.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use http::Method;
use serde_json::{Value, json};
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{CollectionId, CreatorId};
use tonearm_fixtures::{TestDatabase, Victims};

use crate::house::{House, tone};
use crate::matrix::{Row, Things, request_with};

/// Sends a request to every endpoint that writes, with this statement of each ended. Returns how many were ended, and the rows that
/// there are afterwards.
async fn every_request(chosen: Option<u32>, is_repeatable: bool) -> (usize, String) {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let victims = Victims::of(&database.url);
    let house = House::open(database).await;
    let things = Things::prepare(&house).await;
    let mut struck = 0;
    // Nothing is written for the handle of a cover.
    let writes = |row: &Row| {
        row.method == Method::PUT || row.method == Method::DELETE || !row.path.ends_with("/cover")
    };
    let rows = things.rows().into_iter().filter(|row| row.method != Method::GET && writes(row));
    for (number, row) in rows.enumerate() {
        let body = if row.body.is_null() { Body::empty() } else { Body::from(row.body.to_string()) };
        let mut request = request_with(&house.key, &row, body);
        if is_repeatable {
            request.headers_mut().insert("idempotency-key", (number as u64).into());
        }
        if let Some(nth) = chosen {
            victims.choose(nth);
        }
        let reply = house.send(request).await;
        assert_eq!(reply.status.as_u16(), row.right, "{} {}: {}", row.method, row.path, reply.json);
        struck += usize::from(chosen.is_some() && victims.is_struck());
    }
    (struck, victims.rows())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_whose_transaction_is_ended_is_run_again() {
    let (_, undisturbed) = every_request(None, false).await;
    for (nth, most_unstruck) in [(1, 0), (2, 10), (3, 30)] {
        let (struck, rows) = every_request(Some(nth), false).await;
        assert!(struck + most_unstruck >= 35, "{struck} of the requests have {nth} statements");
        assert_eq!(rows, undisturbed, "something was written twice when statement {nth} was ended");
    }
}

/// The first three statements claim the key, in a transaction of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeatable_request_whose_transaction_is_ended_is_run_again() {
    let (_, undisturbed) = every_request(None, true).await;
    for nth in [2, 4] {
        let (struck, rows) = every_request(Some(nth), true).await;
        assert!(struck > 10, "{struck} of the requests have {nth} statements");
        assert_eq!(rows, undisturbed, "something was written twice when statement {nth} was ended");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_upload_whose_transaction_is_ended_is_recorded_all_the_same() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let victims = Victims::of(&database.url);
    let house = House::open(database).await;
    for nth in 1..=3 {
        let waiting = house.waiting_track().await;
        victims.choose(nth);
        assert_eq!(house.upload(&waiting.url, tone()).await.status, 200);
        assert!(victims.is_struck());
        assert_eq!(house.track_status(&waiting.track).await, "processing");
    }
}

/// What another session locks before the track, against the order of locks.
enum Locked {
    Creator(CreatorId),
    Collection(CollectionId),
}

#[tokio::test(flavor = "multi_thread")]
async fn the_victim_of_a_deadlock_is_run_again() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let victims = Victims::of(&database.url);
    // This session leaves it to those of the service to notice a deadlock and so become its victims.
    let mark = if database.url.contains('?') { '&' } else { '?' };
    let patient = format!("{}{mark}options=-c%20deadlock_timeout%3D60s", database.url);
    let other = Catalog::connect(&patient.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    let house = House::open(database).await;
    let creator = house.post("/v1/creator", json!({ "organization_index": "one" })).await.expect_ok();
    let creator = creator.json["creator_id"].as_str().unwrap().to_owned();
    let track = house.create_track("a.wav").await["track_id"].as_str().unwrap().to_owned();
    let (path, second) = (format!("/v1/track/{track}"), house.create_collection("Second").await);
    house.put(&path, json!({ "creator_id": creator })).await.expect_ok();
    let (organization, id) = (house.organization_id, track.parse().unwrap());
    let is_free = async || {
        let tx = other.begin().await.unwrap();
        tokio::time::timeout(Duration::from_millis(50), tx.track(organization, id)).await.is_ok()
    };
    let creator_path = format!("/v1/creator/{creator}");
    let of_second = || Locked::Collection(second.parse().unwrap());
    for (method, path, body, locked) in [
        (Method::PUT, &path, json!({ "collection_id": second }), of_second()),
        (Method::DELETE, &creator_path, Value::Null, Locked::Creator(creator.parse().unwrap())),
        (Method::DELETE, &path, Value::Null, of_second()),
    ] {
        let tx = other.begin().await.unwrap();
        match locked {
            Locked::Creator(id) => drop(tx.creator(organization, id).await.unwrap()),
            Locked::Collection(id) => drop(tx.collection(organization, id).await.unwrap()),
        }
        let has_ended = AtomicBool::new(false);
        let cross = async {
            let still_runs = || assert!(!has_ended.load(Ordering::Relaxed), "{method} {path}: no deadlock");
            while is_free().await {
                still_runs();
            }
            tx.track(organization, id).await.unwrap();
            // The victim is run again, and waits for this session.
            while !victims.is_anyone_waiting() {
                still_runs();
                tokio::task::yield_now().await;
            }
            drop(tx);
        };
        let call = async {
            let reply = house.call(method.clone(), path, body).await;
            has_ended.store(true, Ordering::Relaxed);
            reply
        };
        let (reply, ()) = tokio::join!(call, cross);
        assert_eq!(reply.status, 200, "{method} {path}: {}", reply.json);
    }
}
