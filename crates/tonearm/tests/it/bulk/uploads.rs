//! Uploads of folders without interruptions.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use tonearm_testkit::{Backend, TestServer};

use super::{CommandLine, all, sound, tracks};

/// Fills a folder with files that users typically have.
fn fill(root: &Path) {
    let odd = Path::new(OsStr::from_bytes(b"b\xff.wav"));
    for (path, seed) in [
        (Path::new("album/10 ten.wav"), 10),
        (Path::new("album/2 two.wav"), 2),
        (Path::new("album/copy of two.wav"), 2),
        (Path::new(".hidden/3.wav"), 3),
        (odd, 4),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, sound(seed, 0.5)).unwrap();
    }
    fs::write(root.join("album/cover.jpg"), "a picture").unwrap();
    fs::write(root.join("album/notes.txt"), "text").unwrap();
    std::os::unix::fs::symlink(root, root.join("album/all")).unwrap();
}

async fn a_folder_is_uploaded_once(backend: Backend) {
    let server = TestServer::start(backend).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let collection = client.collection("Folder").await;
    let folder = tempfile::tempdir().unwrap();
    fill(folder.path());
    let path = folder.path().to_str().unwrap();

    let dry = cli.run(&["upload", path, "--collection", &collection, "--dry-run"]);
    assert_eq!(
        (dry.code, dry.count("would_upload"), dry.count("duplicate")),
        (Some(0), 3, 1),
        "{}",
        dry.errors
    );
    assert!(tracks(client, &collection).await.is_empty());

    let first = cli.run(&["upload", path, "--collection", &collection, "--wait"]);
    assert_eq!(first.code, Some(0), "{} {:?}", first.errors, first.lines);
    assert_eq!((first.count("uploaded"), first.count("duplicate")), (3, 1));
    assert!(first.items("duplicate", "same_as")[0].ends_with("2 two.wav"));
    assert_eq!(first.items("uploaded", "track_status_id"), ["ready"; 3]);
    let stored = tracks(client, &collection).await;
    assert_eq!(all(&stored, "file_name"), ["2 two.wav", "10 ten.wav", "b\u{fffd}.wav"]);

    let second = cli.run(&["upload", path, "--collection", &collection]);
    assert_eq!((second.code, second.count("present"), second.count("uploaded")), (Some(0), 4, 0));
    // Files count as present only in the collection that has them.
    let other = client.collection("Other").await;
    assert_eq!(cli.run(&["upload", path, "--collection", &other]).count("uploaded"), 3);
    assert_eq!(tracks(client, &collection).await.len(), 3);
    assert_eq!(
        fs::read_dir(cli.state.path().join("tonearm/uploads")).unwrap().count(),
        2,
        "the sessions are kept"
    );
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_uploaded_once_embedded() {
    Box::pin(a_folder_is_uploaded_once(Backend::Embedded)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_uploaded_once_distributed() {
    Box::pin(a_folder_is_uploaded_once(Backend::Distributed)).await;
}

/// Without `--json`, the output is text for people, and failures are repeated at the end.
#[tokio::test(flavor = "multi_thread")]
async fn people_read_a_report() {
    let server = TestServer::start(Backend::Embedded).await;
    let cli = CommandLine::of(&server);
    let collection = server.client.collection("Read").await;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("good.wav"), sound(1, 0.5)).unwrap();
    fs::write(path("text.mp3"), "no sound at all").unwrap();
    fs::write(path("empty.mp3"), "").unwrap();
    let arguments = ["upload", &path(""), &path("missing.mp3"), "--collection", &collection, "--wait"];
    let output = cli.command(&arguments).output().unwrap();
    let (printed, warnings) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{printed} {warnings}");
    assert!(printed.starts_with("1 uploaded, 3 failed\n"), "{printed}");
    assert!(printed.contains("empty.mp3: the file is empty"), "{printed}");
    assert!(printed.contains("text.mp3: The file is not audio"), "{printed}");
    assert!(printed.contains("missing.mp3: No such file"), "{printed}");
    assert!(warnings.contains("Uploading to the collection Read.\n"), "{warnings}");
    assert!(warnings.ends_with("tonearm: 3 of the files failed or were not done; see above\n"), "{warnings}");
    assert!(!warnings.contains('\u{1b}') && !printed.contains('\u{1b}'), "no colours for a file");
    server.node.stop().await;
}

/// Albums are put in the order of their tags, which the service does within an upload session.
#[tokio::test(flavor = "multi_thread")]
async fn albums_are_sorted_by_their_tags() {
    let server = TestServer::start(Backend::Embedded).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let collection = client.collection("Album").await;
    let folder = tempfile::tempdir().unwrap();
    for (name, number) in [("a.mp3", 3), ("b.mp3", 1), ("c.mp3", 2)] {
        let made = std::process::Command::new("ffmpeg")
            .args([
                "-v",
                "error",
                "-f",
                "lavfi",
                "-i",
                &format!("sine=frequency={}:duration=1", 300 + number * 100),
            ])
            .args(["-metadata", "album=Album", "-metadata", &format!("track={number}")])
            .arg(folder.path().join(name))
            .status();
        assert!(made.unwrap().success());
    }
    // In two runs, which share the session.
    assert_eq!(cli.upload(&collection, &folder.path().join("b.mp3")).count("uploaded"), 1);
    let path = folder.path().to_str().unwrap();
    let run = cli.run(&["upload", path, "--collection", &collection, "--wait", "--jobs", "1"]);
    assert_eq!((run.count("uploaded"), run.count("present")), (2, 1), "{}", run.errors);
    crate::until_done(&server, "process_track").await;
    let stored = tracks(client, &collection).await;
    assert_eq!(all(&stored, "file_name"), ["b.mp3", "c.mp3", "a.mp3"]);
    server.node.stop().await;
}
