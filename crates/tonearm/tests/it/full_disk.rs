//! A disk that fills up during writes, with database, store and scratch folder on it.
//!
//! Every acknowledged write is there afterwards, also after a kill. Refused writes are refused with 507 or 503. Once
//! there is space again, everything continues without a restart.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, StatusCode};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_fixtures::{EVENTUALLY, SmallDisk};
use tonearm_testkit::{Client, Program};

use crate::command_output::{create_organization, succeed};
use crate::{binary, text};

const DISK_MEBIBYTES: u32 = 48;
const SECONDS: f64 = 0.5;

/// The responses so far.
#[derive(Default)]
struct Answers {
    collections: Vec<String>,
    /// Tracks and the digests of their sources.
    tracks: Vec<(String, String)>,
    collections_refused: Vec<StatusCode>,
    uploads_refused: Vec<StatusCode>,
}

/// Uploads are refused before the disk is full.
#[tokio::test(flavor = "multi_thread")]
async fn a_disk_below_its_limit_loses_nothing() {
    let name = "a_disk_below_its_limit_loses_nothing";
    let Some(disk) = SmallDisk::of(module_path!(), name, DISK_MEBIBYTES) else { return };
    survive(&disk, "2MiB").await;
}

/// Without a limit, all writes meet the full disk itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing() {
    let name = "a_full_disk_loses_nothing";
    let Some(disk) = SmallDisk::of(module_path!(), name, DISK_MEBIBYTES) else { return };
    survive(&disk, "0").await;
}

async fn survive(disk: &SmallDisk, limit: &str) {
    let mut program = Program::new(binary(), disk.path());
    program.set("TONEARM_LIMITS_MIN_FREE_SPACE", limit);
    program.set("TONEARM_WORKER_LEASE_SECONDS", "2");
    let made = create_organization(&program, "Full");
    program.start().await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("Full").await;
    let (answers, stop) = (Arc::new(Mutex::new(Answers::default())), Arc::new(AtomicBool::new(false)));
    let writers = [
        tokio::spawn(make_collections(client.clone(), answers.clone(), stop.clone())),
        tokio::spawn(upload_tracks(client.clone(), collection.clone(), answers.clone(), stop.clone())),
    ];
    until(&answers, |answers| answers.tracks.len() >= 3 && answers.collections.len() >= 3).await;
    assert_eq!(client.get("/readyz").await.status, StatusCode::OK);

    for _ in 0..2 {
        let (collections, uploads) = {
            let answers = answers.lock().await;
            (answers.collections_refused.len(), answers.uploads_refused.len())
        };
        let waiting = client.track(&collection, "waiting.wav").await;
        disk.fill();
        let enough = |answers: &Answers| {
            answers.collections_refused.len() >= collections + 3
                && answers.uploads_refused.len() >= uploads + 3
        };
        until(&answers, enough).await;
        let read = client.get(&format!("/v1/collection/{collection}")).await;
        assert_eq!(read.status, StatusCode::OK, "reads go on");
        if limit != "0" {
            let ready = until_ready_is(&client, StatusCode::SERVICE_UNAVAILABLE).await;
            assert_eq!(ready["space"], "unavailable");
            assert_eq!(upload(&client, &waiting).await, StatusCode::INSUFFICIENT_STORAGE);
        }
        disk.free();
        let (collections, tracks) = {
            let answers = answers.lock().await;
            (answers.collections.len(), answers.tracks.len())
        };
        let goes_on = |answers: &Answers| {
            answers.collections.len() >= collections + 3 && answers.tracks.len() >= tracks + 3
        };
        until(&answers, goes_on).await;
        until_ready_is(&client, StatusCode::OK).await;
        assert_eq!(upload(&client, &waiting).await, StatusCode::OK);
    }
    stop.store(true, Ordering::Relaxed);
    for writer in writers {
        writer.await.unwrap();
    }
    let answers = answers.lock().await;
    refused_well(&answers);
    for (track, _) in &answers.tracks {
        assert_eq!(client.settled(track).await["track_status_id"], "ready", "{}", program.log());
    }
    program.kill();
    program.start().await;
    everything_is_there(&client, &answers).await;
}

/// A key that fills the disk can be revoked, and takes neither sign-ins, nor a restart, nor delivery from others.
#[tokio::test(flavor = "multi_thread")]
async fn what_ends_something_is_possible_on_a_full_disk() {
    let name = "what_ends_something_is_possible_on_a_full_disk";
    let Some(disk) = SmallDisk::of(module_path!(), name, DISK_MEBIBYTES) else { return };
    // Files of others, some of which are removed later.
    let ballast = disk.path().join("ballast");
    std::fs::write(&ballast, vec![0; (DISK_MEBIBYTES as usize) << 18]).unwrap();
    let mut program = Program::new(binary(), disk.path());
    for limit in ["MIN_FREE_SPACE", "MAX_RECORDS", "MAX_METADATA", "REQUESTS_PER_MINUTE_PER_KEY"]
        .map(|name| format!("TONEARM_LIMITS_{name}"))
    {
        program.set(&limit, "0");
    }
    let made = create_organization(&program, "Full");
    let organization = text(&made, "/organization_id").to_owned();
    let account = add_account(&program);
    program.start().await;
    account.choose_password(&program).await;
    let client = Client::new(&program.url(), text(&made, "/api_key"));
    let collection = client.collection("Full").await;
    let sound = wav(&WavSpec { seconds: SECONDS, ..WavSpec::default() });
    let track = client.upload(&collection, "heard.wav", sound).await;
    assert_eq!(client.settled(&track).await["track_status_id"], "ready", "{}", program.log());
    let session = json!({"track_id": track, "variants": ["hq"]});
    let session = client.post("/v1/play_session/track", &session).await.ok();
    let signed_url = text(&session, "/first_track/variants/0/url").to_owned();
    let player = json!({"title": "Player", "api_key_type_id": "player"});
    let player = client.post("/v1/api_key", &player).await.ok();

    let attack = json!({"title": "More", "metadata": {"note": "x".repeat(60_000)}});
    let refused = loop {
        let answer = client.post("/v1/collection", &attack).await;
        if answer.status != StatusCode::OK {
            break answer;
        }
    };
    assert_eq!(refused.status, StatusCode::INSUFFICIENT_STORAGE, "{:?}", refused.json());
    // Another program takes the rest.
    disk.fill();
    let player = text(&player, "/api_key_record/id");
    until_ok(async || client.delete(&format!("/v1/api_key/{player}")).await.status == StatusCode::OK).await;
    assert_eq!(client.post("/v1/collection", &attack).await.status, StatusCode::INSUFFICIENT_STORAGE);
    until_ok(async || account.sign_in(&program).await == StatusCode::SEE_OTHER).await;
    assert_eq!(client.get(&signed_url).await.status, StatusCode::OK);
    program.kill();
    program.start().await;
    assert_eq!(client.get(&signed_url).await.status, StatusCode::OK);
    assert_eq!(account.sign_in(&program).await, StatusCode::SEE_OTHER);

    // A disk that fills up between two runs.
    disk.free();
    std::fs::remove_file(&ballast).unwrap();
    until_ok(async || {
        client.post("/v1/creator", &json!({"organization_index": "1"})).await.status == StatusCode::OK
    })
    .await;
    assert!(program.terminate(), "{}", program.log());
    disk.fill();
    program.start().await;
    assert_eq!(client.get(&signed_url).await.status, StatusCode::OK);
    assert_eq!(account.sign_in(&program).await, StatusCode::SEE_OTHER);
    assert_eq!(client.delete(&format!("/v1/collection/{collection}")).await.status, StatusCode::OK);
    let keys = program.run(&["key", "list", "--org", &organization, "--json"]);
    let keys = String::from_utf8(keys.stdout).unwrap();
    let mut keys = keys.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let key = keys.find(|key| key["api_key_type_id"] == "api").unwrap();
    let revoke = ["key", "revoke", "--org", &organization, "--key", text(&key, "/api_key_id")];
    succeed(&program.run(&revoke));
    assert_eq!(client.post("/v1/collection", &attack).await.status, StatusCode::UNAUTHORIZED);
}

/// Every refusal says that the fault is the server's and temporary.
fn refused_well(answers: &Answers) {
    let collections: BTreeSet<_> = answers.collections_refused.iter().map(StatusCode::as_u16).collect();
    assert!(collections.is_subset(&BTreeSet::from([503, 507])), "{collections:?}");
    let uploads: BTreeSet<_> = answers.uploads_refused.iter().map(StatusCode::as_u16).collect();
    assert!(uploads.is_subset(&BTreeSet::from([503, 507])), "{uploads:?}");
}

/// Sends a short sound to a new track.
async fn upload(client: &Client, track: &serde_json::Value) -> StatusCode {
    let sound = wav(&WavSpec { seconds: SECONDS, ..WavSpec::default() });
    let put = client.request(Method::PUT, text(track, "/track_upload/upload_url")).body(sound);
    client.send(put).await.status
}

async fn everything_is_there(client: &Client, answers: &Answers) {
    for collection in &answers.collections {
        client.get(&format!("/v1/collection/{collection}")).await.ok();
    }
    for (track, digest) in &answers.tracks {
        let session = json!({"track_id": track, "variants": ["original", "hq"]});
        let session = client.post("/v1/play_session/track", &session).await.ok();
        let original = client.get(text(&session, "/first_track/variants/0/url")).await;
        assert_eq!(&hex::encode(Sha256::digest(&original.bytes)), digest);
    }
}

async fn make_collections(client: Client, answers: Arc<Mutex<Answers>>, stop: Arc<AtomicBool>) {
    while !stop.load(Ordering::Relaxed) {
        let body = json!({"title": "x".repeat(500)});
        let answer = client.post("/v1/collection", &body).await;
        let mut answers = answers.lock().await;
        match answer.status {
            StatusCode::OK => {
                answers.collections.push(text(&answer.json(), "/collection_id").to_owned());
            }
            status => answers.collections_refused.push(status),
        }
        drop(answers);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

/// Creates tracks and uploads each until it is accepted, as a client would. A track that cannot be created also counts
/// as a refused upload.
async fn upload_tracks(
    client: Client,
    collection: String,
    answers: Arc<Mutex<Answers>>,
    stop: Arc<AtomicBool>,
) {
    let mut seed = 0;
    let mut waiting = None;
    while !stop.load(Ordering::Relaxed) {
        seed += 1;
        let signal = Signal::Noise { seed, amplitude: 0.3 };
        let sound = Bytes::from(wav(&WavSpec { seconds: SECONDS, signal, ..WavSpec::default() }));
        let (track, url) = match waiting.take() {
            Some(waiting) => waiting,
            None => {
                let body = json!({"collection_id": collection, "file_name": "noise.wav"});
                let made = client.post("/v1/track", &body).await;
                if made.status != StatusCode::OK {
                    answers.lock().await.uploads_refused.push(made.status);
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    continue;
                }
                let made = made.json();
                (text(&made, "/track_id").to_owned(), text(&made, "/track_upload/upload_url").to_owned())
            }
        };
        let put = client.request(Method::PUT, &url).body(sound.clone());
        let status = put.send().await.unwrap().status();
        let mut answers = answers.lock().await;
        match status {
            StatusCode::OK => answers.tracks.push((track, hex::encode(Sha256::digest(&sound)))),
            status => {
                answers.uploads_refused.push(status);
                waiting = Some((track, url));
            }
        }
        drop(answers);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until `/readyz` has this status. Its result is cached for some seconds.
async fn until_ready_is(client: &Client, status: StatusCode) -> serde_json::Value {
    let begun = std::time::Instant::now();
    loop {
        let ready = client.get("/readyz").await;
        if ready.status == status {
            return ready.json();
        }
        assert!(begun.elapsed() < EVENTUALLY, "still {}", ready.status);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Waits until a condition on the responses is true, for at most a minute.
async fn until(answers: &Mutex<Answers>, are: impl Fn(&Answers) -> bool) {
    for _ in 0..3000 {
        if are(&*answers.lock().await) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let answers = answers.lock().await;
    panic!(
        "for a minute nothing changed: {} collections, {} tracks, refused {:?} and {:?}",
        answers.collections.len(),
        answers.tracks.len(),
        answers.collections_refused,
        answers.uploads_refused
    );
}

/// An administrator.
struct Account {
    link: String,
}

const PASSWORD: &str = "violin-harbour-lantern-1742";

fn add_account(program: &Program) -> Account {
    let add = ["person", "add", "--email", "ada@example.com", "--name", "Ada", "--administrator"];
    let added = String::from_utf8(program.run(&add).stdout).unwrap();
    let link = added.lines().next().unwrap().trim();
    Account { link: link[link.find("/dashboard/").unwrap()..].to_owned() }
}

impl Account {
    async fn choose_password(&self, program: &Program) {
        let status = send_form(program, &self.link, &format!("password={PASSWORD}")).await;
        assert_eq!(status, StatusCode::SEE_OTHER);
    }

    async fn sign_in(&self, program: &Program) -> StatusCode {
        let form = format!("email=ada%40example.com&password={PASSWORD}");
        send_form(program, "/dashboard/sign-in", &form).await
    }
}

async fn send_form(program: &Program, path: &str, fields: &str) -> StatusCode {
    let client = Client::new(&program.url(), "").without_key();
    let form = client
        .request(Method::POST, path)
        .header("Origin", program.url())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(fields.to_owned());
    client.send(form).await.status
}

/// Waits until something succeeds.
async fn until_ok(succeeds: impl AsyncFn() -> bool) {
    let begun = std::time::Instant::now();
    while !succeeds().await {
        assert!(begun.elapsed() < EVENTUALLY, "still refused");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}
