//! Uploads that are interrupted: the connection, the program, the file itself.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use tempfile::TempDir;
use tonearm_testkit::{Backend, TestServer};

use super::proxy::Proxy;
use super::{CommandLine, Run, all, interrupt, sound, tracks};

/// The bytes that requests and their headers may take in addition to the bytes of files.
const REQUESTS: u64 = 128 * 1024;

const PIECE: u64 = 512 * 1024;

/// A service behind a proxy, and a file of some megabytes.
struct Scene {
    server: TestServer,
    proxy: Proxy,
    cli: CommandLine,
    collection: String,
    file: PathBuf,
    size: u64,
    _folder: TempDir,
}

impl Scene {
    async fn new() -> Self {
        let mut proxy = Proxy::bind().await;
        let server =
            TestServer::start_with(Backend::Embedded, &[("TONEARM_PUBLIC_URL", proxy.url().as_str())]).await;
        proxy.pass_to(server.node.address());
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("long.wav");
        let bytes = sound(5, 60.0);
        fs::write(&file, &bytes).unwrap();
        Self {
            cli: CommandLine::to(&proxy.url(), server.client.key()),
            collection: server.client.collection("Interrupted").await,
            size: bytes.len() as u64,
            server,
            proxy,
            file,
            _folder: folder,
        }
    }

    fn arguments(&self) -> Vec<&str> {
        let (file, collection) = (self.file.to_str().unwrap(), self.collection.as_str());
        vec!["upload", file, "--collection", collection, "--piece-size", "512KiB"]
    }

    async fn track_count(&self) -> usize {
        tracks(&self.server.client, &self.collection).await.len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_connection_is_made_anew() {
    let scene = Scene::new().await;
    let proxy = &scene.proxy;
    // The connection is cut in the middle of three pieces. Each cut is set up after the previous one was noticed.
    proxy.cut_after(700_000);
    let child = scene.cli.spawn(&scene.arguments());
    for next in [900_000, 1_000_000] {
        let begun = std::time::Instant::now();
        while !proxy.has_cut() {
            assert!(begun.elapsed().as_secs() < 60, "the connection is not cut");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        proxy.cut_after(next);
    }
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.count("uploaded")), (Some(0), 1), "{} {:?}", run.errors, run.lines);
    assert!(proxy.has_cut());
    assert!(proxy.passed() < scene.size + 3 * PIECE + REQUESTS, "{} of {}", proxy.passed(), scene.size);
    assert_eq!(scene.track_count().await, 1);
    scene.server.node.stop().await;
}

/// The program is killed in the middle. The next run sends the missing bytes to the same track.
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_program_goes_on() {
    let scene = Scene::new().await;
    for (signal, bytes) in [("-KILL", 1_500_000), ("-INT", 1_200_000)] {
        scene.proxy.hold_after(bytes);
        let child = scene.cli.spawn(&scene.arguments());
        scene.proxy.held().await;
        let killed =
            std::process::Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
        assert!(killed.success());
        let run = Run::of(child.wait_with_output().unwrap());
        if signal == "-INT" {
            assert_eq!((run.code, run.count("stopped")), (Some(1), 1), "{}", run.errors);
            assert_eq!(run.failure(), "tonearm: stopped; run the same command again to continue");
        }
        scene.proxy.release();
        assert_eq!(scene.track_count().await, 1);
    }
    let last = scene.cli.run(&scene.arguments());
    assert_eq!((last.code, last.count("uploaded")), (Some(0), 1), "{} {:?}", last.errors, last.lines);
    assert_eq!(scene.track_count().await, 1);
    let passed = scene.proxy.passed();
    assert!(passed < scene.size + 2 * PIECE + REQUESTS, "{passed} of {}", scene.size);
    let track = &tracks(&scene.server.client, &scene.collection).await[0];
    let settled = scene.server.client.settled(track["id"].as_str().unwrap()).await;
    assert_eq!(settled["track_status_id"], "ready");
    // No credential is left behind.
    let left = fs::read_dir(scene.cli.state.path().join("tonearm/uploads")).unwrap().flatten();
    assert!(left.map(|file| file.file_name()).all(|name| name.to_str().unwrap().starts_with("session-")));
    scene.server.node.stop().await;
}

/// The request that creates the track arrives, but the program dies before it receives the response.
#[tokio::test(flavor = "multi_thread")]
async fn a_track_is_created_once() {
    let scene = Scene::new().await;
    let found = scene.cli.run(&scene.arguments()[..4]);
    assert_eq!(found.count("uploaded"), 1);
    // The bytes that were sent before the first byte of the file.
    let before_bytes = scene.proxy.passed() - scene.size;
    let other = scene.server.client.collection("Other").await;
    let mut arguments = scene.arguments();
    arguments[3] = &other;
    // At whatever point the program is killed, there is one track in the end.
    for part in 1..=8 {
        scene.proxy.hold_after(before_bytes * part / 8);
        let mut child = scene.cli.spawn(&arguments);
        scene.proxy.held().await;
        child.kill().unwrap();
        child.wait().unwrap();
        scene.proxy.release();
    }
    let last = scene.cli.run(&arguments);
    assert_eq!((last.code, last.count("uploaded")), (Some(0), 1), "{} {:?}", last.errors, last.lines);
    assert_eq!(tracks(&scene.server.client, &other).await.len(), 1);
    scene.server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_changes_is_refused() {
    let scene = Scene::new().await;
    scene.proxy.hold_after(1_000_000);
    let child = scene.cli.spawn(&scene.arguments());
    scene.proxy.held().await;
    fs::File::options().append(true).open(&scene.file).unwrap().write_all(b"more").unwrap();
    scene.proxy.release();
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1));
    assert_eq!(
        run.reasons(),
        ["the file changed while it was being uploaded; upload it again when it is complete"]
    );
    assert_eq!(scene.track_count().await, 0, "the track that got no bytes is gone");
    let again = scene.cli.run(&scene.arguments());
    assert_eq!((again.code, again.count("uploaded")), (Some(0), 1), "{}", again.errors);
    scene.server.node.stop().await;
}

/// Two programs do not upload the same file at once.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_uploaded_by_one_program() {
    let scene = Scene::new().await;
    scene.proxy.hold_after(1_000_000);
    let first = scene.cli.spawn(&scene.arguments());
    scene.proxy.held().await;
    let second = scene.cli.spawn(&scene.arguments());
    scene.proxy.release();
    let (first, second) =
        (Run::of(first.wait_with_output().unwrap()), Run::of(second.wait_with_output().unwrap()));
    assert_eq!(first.count("uploaded"), 1, "{}", first.errors);
    let told = (second.count("present"), second.reasons());
    assert!(
        told == (1, vec![]) || told == (0, vec!["another tonearm process is uploading it".to_owned()]),
        "{told:?}"
    );
    assert_eq!(scene.track_count().await, 1);
    scene.server.node.stop().await;
}

/// Completed uploads are kept, and the next run uploads the rest.
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_keeps_what_is_done() {
    let scene = Scene::new().await;
    let folder = scene.file.parent().unwrap().to_owned();
    fs::write(folder.join("a short one.wav"), sound(6, 0.5)).unwrap();
    scene.proxy.hold_after(1_000_000);
    let path = folder.to_str().unwrap();
    let arguments =
        ["upload", path, "--collection", &scene.collection, "--piece-size", "512KiB", "--jobs", "1"];
    let child = scene.cli.spawn(&arguments);
    scene.proxy.held().await;
    interrupt(&child);
    let run = Run::of(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.count("uploaded"), run.count("stopped")), (Some(1), 1, 1), "{}", run.errors);
    scene.proxy.release();
    let run = scene.cli.run(&arguments);
    assert_eq!((run.code, run.count("uploaded"), run.count("present")), (Some(0), 1, 1), "{}", run.errors);
    let stored = tracks(&scene.server.client, &scene.collection).await;
    assert_eq!(all(&stored, "file_name"), ["a short one.wav", "long.wav"]);
    scene.server.node.stop().await;
}
