//! Damaged audio: no crash, no hang, no leftovers, and a reason for the uploader.

use std::path::{Path, PathBuf};
use std::time::Duration;

use futures::{StreamExt, stream};
use tonearm_fixtures::ManualClock;
use tonearm_fixtures::audio::{WavSpec, damaged, transcode, wav};
use tonearm_service::Caller;
use tonearm_testkit::{Backend, TestServer};

use crate::{text, until_done};

/// Files in a run of all tests; `TONEARM_DAMAGED_FILES` sets another number.
const FILES: u64 = 24;
/// Uploads at once.
const AT_ONCE: usize = 8;

/// Valid files of many kinds, each a fraction of a second long.
async fn kinds() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.wav");
    std::fs::write(&source, wav(&WavSpec { seconds: 0.4, ..WavSpec::default() })).unwrap();
    let mut kinds = vec![std::fs::read(&source).unwrap()];
    for (name, encoder) in [
        ("a.mp3", &["-c:a", "libmp3lame"][..]),
        ("a.m4a", &["-c:a", "aac"]),
        ("a.flac", &["-c:a", "flac"]),
        ("a.ogg", &["-c:a", "libvorbis"]),
        ("a.opus", &["-c:a", "libopus"]),
        ("a.webm", &["-c:a", "libopus"]),
        ("a.aiff", &["-c:a", "pcm_s16be"]),
        ("a.aac", &["-c:a", "aac"]),
        ("a.wma", &["-c:a", "wmav2"]),
        ("a.caf", &["-c:a", "pcm_s16le"]),
        ("a.mkv", &["-c:a", "flac"]),
        ("a.ts", &["-c:a", "mp2"]),
        ("a.avi", &["-c:a", "libmp3lame"]),
        ("a.flv", &["-c:a", "aac"]),
        ("a.ac3", &["-c:a", "ac3"]),
        ("a.dts", &["-c:a", "dca", "-strict", "-2"]),
        ("a.rm", &["-c:a", "real_144", "-ar", "8000", "-ac", "1"]),
    ] {
        let path = folder.path().join(name);
        transcode(&source, &path, encoder).await;
        kinds.push(std::fs::read(&path).unwrap());
    }
    kinds
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_sound_ends_well_or_with_a_reason() {
    let count =
        std::env::var("TONEARM_DAMAGED_FILES").ok().and_then(|count| count.parse().ok()).unwrap_or(FILES);
    let server = TestServer::start(Backend::Embedded).await;
    let time = tokio::spawn(let_time_pass(server.clock.clone()));
    let library = &server.node.services().unwrap().library;
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    // One rendered file per track tests as much as three.
    for view in library.recipes(&caller).await.unwrap() {
        if ["hq", "preview"].contains(&view.recipe.index.as_str()) {
            library.remove_recipe(&caller, view.recipe.id).await.unwrap();
        }
    }
    let client = &server.client;
    let collection = client.collection("Damaged").await;
    let kinds = kinds().await;
    let kind = |seed: u64| &kinds[(seed / 6) as usize % kinds.len()];
    let ended: Vec<(u64, String)> = stream::iter(0..count)
        .map(|seed| {
            let bytes = damaged(kind(seed), kind(seed * 7 + 6), seed);
            let (server, collection) = (&server, &collection);
            async move {
                let id = client.upload(collection, "damaged", bytes).await;
                settle(server, seed, &id).await;
                (seed, id)
            }
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    let mut playable = 0;
    for (seed, id) in ended {
        let track = client.get(&format!("/v1/track/{id}")).await.ok();
        let status = text(&track, "/track/track_status_id");
        assert!(["ready", "incomplete", "error", "init_error"].contains(&status), "{seed}: {track}");
        let record = library.track(&caller, id.parse().unwrap()).await.unwrap().track;
        match status {
            "ready" => playable += 1,
            _ => assert!(record.status_reason.is_some_and(|reason| !reason.is_empty()), "{seed}: {status}"),
        }
    }
    // Some damaged files play and some do not: both cases occurred.
    assert!(playable > 0 && playable < count, "{playable} of {count} play");
    // Covers are finished after the tracks.
    until_done(&server, "finish_cover").await;
    let jobs = server.node.services().unwrap().catalog.pending_jobs().await.unwrap();
    let trouble: Vec<_> = jobs.iter().filter(|job| job.last_error.is_some()).collect();
    assert!(trouble.is_empty(), "{trouble:?}");
    assert_eq!(processes_over(server.data_dir()), Vec::<String>::new());
    let left: Vec<_> = walk(server.data_dir()).into_iter().filter(|path| is_temporary(path)).collect();
    assert!(left.is_empty(), "{left:?}");
    time.abort();
}

/// Waits until a track is settled. Fails after two minutes and lists the pending jobs.
async fn settle(server: &TestServer, seed: u64, id: &str) {
    for _ in 0..2400 {
        let track = server.client.get(&format!("/v1/track/{id}")).await.ok();
        let status = text(&track, "/track/track_status_id");
        if !["initialized", "processing", "fallback_processing"].contains(&status) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let jobs = server.node.services().unwrap().catalog.pending_jobs().await.unwrap();
    let jobs: Vec<_> = jobs.into_iter().filter(|job| job.kind != "expire_upload").collect();
    panic!("the track of seed {seed} does not settle; jobs: {jobs:#?}");
}

/// Advances the server's clock in real time. If the clock stands still, jobs with the same timestamp run in the order
/// of their random ids. As new jobs keep arriving, some job may then never run.
async fn let_time_pass(clock: ManualClock) {
    loop {
        tokio::time::sleep(Duration::from_millis(10)).await;
        clock.advance_millis(10);
    }
}

/// Whether a file is temporary: a file of a job, or an object that is being written.
fn is_temporary(path: &Path) -> bool {
    let is_lock = path.file_name().is_some_and(|name| name == ".lock");
    !is_lock && path.components().any(|part| part.as_os_str() == "scratch" || part.as_os_str() == ".tmp")
}

/// Every file in a folder and those below it.
fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// The arguments of every process that names a file in a folder, whatever its parent is.
fn processes_over(folder: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.contains(&*folder.to_string_lossy())).collect()
}
