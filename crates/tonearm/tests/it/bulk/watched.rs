//! `tonearm upload --watch`

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::process::Child;
use std::sync::mpsc;
use std::time::Duration;

use serde_json::Value;
use tonearm_fixtures::EVENTUALLY;
use tonearm_testkit::{Backend, TestServer};

use super::{CommandLine, interrupt, sound, tracks};

/// A program that watches a folder, and its output.
struct Watching {
    child: Child,
    lines: mpsc::Receiver<Value>,
}

impl Watching {
    fn begin(cli: &CommandLine, folder: &std::path::Path, collection: &str) -> Self {
        let path = folder.to_str().unwrap();
        let mut child = cli.spawn(&["upload", path, "--collection", collection, "--watch"]);
        let (sender, lines) = mpsc::channel();
        let printed = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in printed.lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap()).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// The next line of the output.
    fn next(&self) -> Value {
        self.lines.recv_timeout(EVENTUALLY).expect("it prints a line")
    }

    fn next_is(&self, result: &str, name: &str) {
        let line = self.next();
        assert_eq!(line["result"], result, "{line}");
        assert!(line["file"].as_str().unwrap().ends_with(name), "{line}");
    }

    fn end(mut self) -> (Option<i32>, Value) {
        interrupt(&self.child);
        let status = self.child.wait().unwrap();
        (status.code(), self.next()["summary"].clone())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_are_uploaded_once_they_are_complete() {
    let server = TestServer::start(Backend::Embedded).await;
    let cli = CommandLine::of(&server);
    let collection = server.client.collection("Watched").await;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("first.wav"), sound(1, 0.5)).unwrap();
    let watching = Watching::begin(&cli, folder.path(), &collection);
    watching.next_is("uploaded", "first.wav");

    // Write the file in pieces, for longer than the time that a file must stay unchanged.
    let bytes = sound(2, 4.0);
    let mut slow = File::create(folder.path().join("slow.wav")).unwrap();
    for piece in bytes.chunks(bytes.len() / 9) {
        slow.write_all(piece).unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    drop(slow);
    watching.next_is("uploaded", "slow.wav");

    // A file in a new folder, beside files that are not uploaded, and a file that is renamed.
    fs::create_dir_all(folder.path().join("new/deep")).unwrap();
    fs::write(folder.path().join("new/deep/third.wav"), sound(3, 0.5)).unwrap();
    fs::write(folder.path().join("new/.hidden.wav"), sound(4, 0.5)).unwrap();
    fs::write(folder.path().join("new/notes.txt"), "text").unwrap();
    fs::create_dir_all(folder.path().join(".Trash-1000/files")).unwrap();
    fs::write(folder.path().join(".Trash-1000/files/deleted.wav"), sound(6, 0.5)).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("private.wav"), sound(7, 0.5)).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), folder.path().join("link")).unwrap();
    watching.next_is("uploaded", "new/deep/third.wav");
    fs::write(folder.path().join("moved.part"), sound(5, 0.5)).unwrap();
    fs::rename(folder.path().join("moved.part"), folder.path().join("moved.wav")).unwrap();
    watching.next_is("uploaded", "moved.wav");
    // The same bytes again.
    fs::copy(folder.path().join("moved.wav"), folder.path().join("copy.wav")).unwrap();
    watching.next_is("duplicate", "copy.wav");

    let (code, summary) = watching.end();
    assert_eq!((code, &summary["uploaded"]), (Some(0), &4.into()), "{summary}");
    let stored = tracks(&server.client, &collection).await;
    assert_eq!(stored.len(), 4);
    for track in &stored {
        let settled = server.client.settled(track["id"].as_str().unwrap()).await;
        assert_eq!(settled["track_status_id"], "ready", "{settled}");
    }
    server.node.stop().await;
}
