//! Uploads while the service is killed repeatedly.
//!
//! `TONEARM_CHAOS_ROUNDS` sets how often it is killed; the default is a few times. At the end, every acknowledged
//! upload is there byte for byte, every track is in a final state, and no row names a missing object.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_testkit::{Client, Program};

use crate::command_output::create_organization;
use crate::{binary, text};

/// A job during which the service died four times waits for 96 seconds.
const LONGEST: Duration = Duration::from_secs(300);

/// An upload that was acknowledged.
struct Acknowledged {
    track_id: String,
    sha256: String,
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost() {
    let data = tempfile::tempdir().unwrap();
    let (mut program, client, collection) = start(data.path()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let acknowledged = Arc::new(Mutex::new(Vec::new()));
    let uploaders: Vec<_> = (0..4)
        .map(|seed| {
            tokio::spawn(upload_until(
                stop.clone(),
                acknowledged.clone(),
                client.clone(),
                collection.clone(),
                seed,
            ))
        })
        .collect();
    // Kill at moments that are spread over an upload and its processing.
    kill_again_and_again(&mut program, 150..1450).await;
    stop.store(true, Ordering::Relaxed);
    for uploader in uploaders {
        uploader.await.unwrap();
    }
    let acknowledged = acknowledged.lock().await;
    assert!(!acknowledged.is_empty(), "nothing was acknowledged, so nothing was tested");
    println!("{} uploads acknowledged over {} kills", acknowledged.len(), rounds());
    for upload in acknowledged.iter() {
        is_whole(&client, upload).await;
    }
    every_track_is_final(&client, &collection).await;
    program.kill();
    every_row_has_its_object(&mut program, data.path(), &client, &collection).await;
}

/// Each client repeats a request with its idempotency key until it is answered, while the service is killed.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_request_has_one_effect_whatever_is_killed() {
    let data = tempfile::tempdir().unwrap();
    let (mut program, client, collection) = start(data.path()).await;
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = (0..8)
        .map(|seed| tokio::spawn(create_until(stop.clone(), client.clone(), collection.clone(), seed)))
        .collect();
    // At any moment, many requests are committed but not yet answered.
    kill_again_and_again(&mut program, 100..600).await;
    stop.store(true, Ordering::Relaxed);
    let mut answered = Vec::new();
    for client in clients {
        answered.extend(client.await.unwrap());
    }
    let mut created: Vec<String> =
        all_tracks(&client, &collection).await.iter().map(|track| text(track, "/id").to_owned()).collect();
    println!("{} requests over {} kills", answered.len(), rounds());
    answered.sort();
    created.sort();
    assert_eq!(created, answered);
}

/// How often the service is killed.
fn rounds() -> u64 {
    std::env::var("TONEARM_CHAOS_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(4)
}

/// A running service with an organization and an empty collection.
async fn start(data: &Path) -> (Program, Client, String) {
    let mut program = Program::new(binary(), data);
    // A dead worker's jobs are taken over soon.
    program.set("TONEARM_WORKER_LEASE_SECONDS", "2");
    let made = create_organization(&program, "Chaos");
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("Chaos").await;
    (program, client, collection)
}

/// Kills the service in each round after a pause in `milliseconds`; the pauses are the same in every run.
async fn kill_again_and_again(program: &mut Program, milliseconds: Range<u64>) {
    for round in 0..rounds() {
        let pause = milliseconds.start + (round * 397) % (milliseconds.end - milliseconds.start);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        program.kill();
        program.start().await;
    }
}

/// Creates one track after another, each with its own idempotency key, and returns their ids. A request is repeated
/// until it is answered.
async fn create_until(stop: Arc<AtomicBool>, client: Client, collection: String, seed: u64) -> Vec<String> {
    let mut created = Vec::new();
    while !stop.load(Ordering::Relaxed) {
        let key = format!("{seed}-{}", created.len());
        let body = json!({"collection_id": collection, "file_name": format!("{key}.wav")});
        loop {
            let request = client.request(reqwest::Method::POST, "/v1/track").header("Idempotency-Key", &key);
            if let Ok(answer) = request.json(&body).send().await
                && answer.status() == 200
                && let Ok(answer) = answer.json::<serde_json::Value>().await
            {
                created.push(text(&answer, "/track_id").to_owned());
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    created
}

/// Uploads one file after another and retries whatever fails, as a client would.
async fn upload_until(
    stop: Arc<AtomicBool>,
    acknowledged: Arc<Mutex<Vec<Acknowledged>>>,
    client: Client,
    collection: String,
    seed: u64,
) {
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let signal = Signal::Noise { seed: seed * 1000 + number, amplitude: 0.3 };
        let sound =
            Bytes::from(wav(&WavSpec { seconds: 0.5 + (number % 4) as f64, signal, ..WavSpec::default() }));
        let Some(created) = try_post(&client, &collection, number).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let url = text(&created, "/track_upload/upload_url").to_owned();
        while !stop.load(Ordering::Relaxed) {
            let put = client.request(reqwest::Method::PUT, &url).body(sound.clone());
            match put.send().await.map(|response| response.status().as_u16()) {
                Ok(200) => {
                    let track_id = text(&created, "/track_id").to_owned();
                    let sha256 = hex::encode(Sha256::digest(&sound));
                    acknowledged.lock().await.push(Acknowledged { track_id, sha256 });
                    break;
                }
                // The upload was accepted, but the service was killed before it could respond.
                Ok(409) => break,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

async fn try_post(client: &Client, collection: &str, number: u64) -> Option<serde_json::Value> {
    let body = json!({"collection_id": collection, "file_name": format!("{number}.wav")});
    let response = client.request(reqwest::Method::POST, "/v1/track").json(&body).send().await.ok()?;
    response.json().await.ok().filter(|body: &serde_json::Value| body["ok"] == true)
}

async fn is_whole(client: &Client, upload: &Acknowledged) {
    let track = client.settled_within(&upload.track_id, LONGEST).await;
    assert_eq!(track["track_status_id"], "ready", "{track}");
    let session = json!({"track_id": upload.track_id, "variants": ["original", "hq", "lq", "preview"]});
    let session = client.post("/v1/play_session/track", &session).await.ok();
    let variants = session["first_track"]["variants"].as_array().unwrap();
    assert_eq!(variants.len(), 4);
    let original = client.get(text(&variants[0], "/url")).await;
    assert_eq!(hex::encode(Sha256::digest(&original.bytes)), upload.sha256);
    for variant in variants {
        assert_eq!(client.get_range(text(variant, "/url"), "0-0").await.status, 206);
    }
}

/// Tracks whose upload was never acknowledged wait for their bytes or have them; none is left in processing.
async fn every_track_is_final(client: &Client, collection: &str) {
    for track in all_tracks(client, collection).await {
        if track["track_status_id"] != "initialized" {
            let settled = client.settled_within(text(&track, "/id"), LONGEST).await;
            assert_eq!(settled["track_status_id"], "ready", "{settled}");
        }
    }
}

async fn all_tracks(client: &Client, collection: &str) -> Vec<serde_json::Value> {
    let mut tracks = Vec::new();
    loop {
        let path = format!("/v1/collection/{collection}/track?limit=200&offset={}", tracks.len());
        let page = client.get(&path).await.ok();
        let page = page["tracks"].as_array().unwrap().clone();
        if page.is_empty() {
            return tracks;
        }
        tracks.extend(page);
    }
}

/// Restarts the service, so that left-over temporary files are removed, and checks the folder: every object that a row
/// names is there.
async fn every_row_has_its_object(program: &mut Program, data: &Path, client: &Client, collection: &str) {
    program.start().await;
    let tracks = all_tracks(client, collection).await;
    let objects = data.join("objects");
    for track in tracks.iter().filter(|track| track["track_status_id"] == "ready") {
        let session = json!({"track_id": track["id"], "variants": ["original", "hq", "lq", "preview"]});
        let session = client.post("/v1/play_session/track", &session).await.ok();
        for variant in session["first_track"]["variants"].as_array().unwrap() {
            let path = objects.join(text(variant, "/path"));
            let size = std::fs::metadata(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())).len();
            assert_eq!(size, variant["size"].as_u64().unwrap());
        }
    }
    assert!(program.terminate(), "{}", program.log());
    let scratch = data.join("scratch");
    let left: Vec<_> = std::fs::read_dir(scratch).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "left over: {left:?}");
}
