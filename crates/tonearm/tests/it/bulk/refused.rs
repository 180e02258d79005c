//! A refusal by the service is reported in one sentence, and nothing is retried forever.

use std::fs;
use std::time::{Duration, Instant};

use tonearm_service::{Caller, CreateCollection};
use tonearm_testkit::{Backend, Client, TestServer};

use super::{CommandLine, sound, tracks};
use crate::binary;

const UNKNOWN: &str = "018f0000-0000-7000-8000-000000000001";

/// A folder with some files.
fn files(count: u64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    (0..count).for_each(|n| fs::write(folder.path().join(format!("{n}.wav")), sound(n, 0.2)).unwrap());
    folder
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_keys_and_collections_are_named() {
    let server = TestServer::start(Backend::Embedded).await;
    let folder = files(1);
    let collection = server.client.collection("Refused").await;
    let right = CommandLine::of(&server);
    let refused = |cli: &CommandLine, collection: &str| {
        let run = cli.upload(collection, folder.path());
        assert_eq!(
            (run.code, run.lines.len(), run.errors.lines().count()),
            (Some(1), 0, 1),
            "{}",
            run.errors
        );
        run.failure().to_owned()
    };
    let wrong = CommandLine::to(server.node.public_url(), &right.key.replace("_a", "_b"));
    let missing = CommandLine::to(server.node.public_url(), "abc");
    assert!(refused(&missing, &collection).contains("API key"), "{}", refused(&missing, &collection));
    assert!(refused(&wrong, &collection).starts_with("tonearm: "));
    assert!(refused(&right, UNKNOWN).contains("collection"), "{}", refused(&right, UNKNOWN));
    // No server, and a server that is not this API.
    let begun = Instant::now();
    for (url, expected) in [
        ("http://127.0.0.1:1", "127.0.0.1:1 cannot be reached: "),
        (&format!("{}/dashboard", server.node.public_url()), ""),
    ] {
        let path = folder.path().to_str().unwrap();
        let arguments = ["upload", path, "--collection", &collection, "--server", url, "--retry-for", "1"];
        let run = right.run(&arguments);
        assert_eq!(run.code, Some(1));
        assert!(run.failure().contains(expected), "{}", run.errors);
    }
    assert!(begun.elapsed() < Duration::from_secs(30));
    server.node.stop().await;
}

/// Files may go to another host than requests.
#[tokio::test(flavor = "multi_thread")]
async fn the_host_that_is_away_is_named() {
    let server =
        TestServer::start_with(Backend::Embedded, &[("TONEARM_PUBLIC_URL", "http://127.0.0.1:1")]).await;
    let address = format!("http://{}", server.node.address());
    let collection = Client::new(&address, server.client.key()).collection("Elsewhere").await;
    let folder = files(1);
    let path = folder.path().to_str().unwrap();
    let arguments = ["upload", path, "--collection", &collection, "--retry-for", "1"];
    let run = CommandLine::to(&address, server.client.key()).run(&arguments);
    assert_eq!(run.code, Some(1));
    let said = format!("{}{:?}", run.errors, run.lines);
    assert!(said.contains("127.0.0.1:1 cannot be reached: "), "{said}");
    server.node.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_come_from_files_too() {
    let server = TestServer::start(Backend::Embedded).await;
    let folder = files(1);
    let collection = server.client.collection("Keys").await;
    let cli = CommandLine::of(&server);
    let key_file = cli.state.path().join("key");
    fs::write(&key_file, format!("{}\n", cli.key)).unwrap();
    let arguments = |key_file: &str| {
        ["upload", folder.path().to_str().unwrap(), "--collection", &collection, "--key-file", key_file]
            .map(str::to_owned)
    };
    let run = |key_file: &str| {
        let mut command = cli.command(&arguments(key_file));
        command.env_remove("TONEARM_API_KEY").output().unwrap()
    };
    assert_eq!(run(key_file.to_str().unwrap()).status.code(), Some(0));
    let missing = run("/nonexistent/key");
    assert_eq!(missing.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&missing.stderr).contains("/nonexistent/key: No such file"));
    let mut command = cli.command(&arguments("-"));
    let child = command.env_remove("TONEARM_API_KEY").stdin(fs::File::open(&key_file).unwrap());
    assert_eq!(child.output().unwrap().status.code(), Some(0));
    let mut command = cli.command(&arguments("-")[..4]);
    let without = command.env_remove("TONEARM_API_KEY").output().unwrap();
    assert_eq!(without.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&without.stderr).contains("set TONEARM_API_KEY"));
    server.node.stop().await;
}

/// A full quota ends the run, because the other files would not fit either. The file that did not fit leaves nothing
/// behind.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_quota_ends_the_run() {
    let server = TestServer::start(Backend::Embedded).await;
    let (cli, client) = (CommandLine::of(&server), &server.client);
    let program = server.program(binary());
    let set = |quota: &str, value: &str| {
        let set = program.run(&["org", "set", "--org", &server.organization_id, quota, value]);
        assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
    };
    let folder = files(6);
    let path = folder.path().to_str().unwrap();
    set("--quota-tracks", "2");
    let collection = client.collection("Quota").await;
    let arguments = ["upload", path, "--collection", &collection, "--jobs", "1"];
    let run = cli.run(&arguments);
    assert_eq!(
        (run.code, run.count("uploaded"), run.count("failed"), run.count("stopped")),
        (Some(1), 2, 1, 3)
    );
    assert!(run.failure().contains("quota"), "{}", run.errors);
    assert_eq!(tracks(client, &collection).await.len(), 2);
    set("--quota-tracks", "none");
    set("--quota-bytes", "60000");
    let run = cli.run(&arguments);
    assert_eq!((run.code, run.count("present")), (Some(1), 2), "{}", run.errors);
    assert!(run.reasons()[0].contains("quota"), "{:?}", run.reasons());
    let stored = tracks(client, &collection).await.len() as u64;
    assert_eq!(stored, 2 + run.count("uploaded"), "no track is left without bytes");
    set("--quota-bytes", "none");
    let run = cli.run(&arguments);
    // Files of tracks that were processed under the quota did not fit either.
    let there = run.count("present") + run.count("uploaded") + run.count("failed");
    assert_eq!(there, 6, "{}", run.errors);
    assert!(run.reasons().iter().all(|reason| reason.contains("its track failed")), "{:?}", run.reasons());
    server.node.stop().await;
}

/// If the service has no free space, the program retries when the service says so, and gives up when the retry time is
/// over.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_is_told() {
    let full = [("TONEARM_LIMITS_MIN_FREE_SPACE", "1000000TiB")];
    let server = TestServer::start_with(Backend::Embedded, &full).await;
    let cli = CommandLine::of(&server);
    let folder = files(3);
    // Requests add nothing on a full disk.
    let owner = Caller::owner(server.organization_id.parse().unwrap());
    let create = CreateCollection { title: "Full".to_owned(), ..CreateCollection::default() };
    let library = &server.node.services().unwrap().library;
    let collection = library.create_collection(&owner, create).await.unwrap().0.collection.id.to_string();
    let begun = Instant::now();
    let path = folder.path().to_str().unwrap();
    let run = cli.run(&["upload", path, "--collection", &collection, "--retry-for", "20"]);
    assert_eq!((run.code, run.count("failed"), run.count("stopped")), (Some(1), 1, 2), "{}", run.errors);
    assert!(run.failure().contains("free"), "{}", run.errors);
    assert!(begun.elapsed() < Duration::from_secs(20), "it asks for a minute, which is too long");
    server.node.stop().await;
}

/// A file that is too large does not end the run, because the others may fit.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_over_the_limit_fails_alone() {
    let small = [("TONEARM_LIMITS_MAX_UPLOAD_BYTES", "100KiB")];
    let server = TestServer::start_with(Backend::Embedded, &small).await;
    let cli = CommandLine::of(&server);
    let folder = files(2);
    fs::write(folder.path().join("0 large.wav"), sound(9, 10.0)).unwrap();
    let collection = server.client.collection("Limit").await;
    let run = cli.upload(&collection, folder.path());
    assert_eq!((run.code, run.count("uploaded"), run.count("failed")), (Some(1), 2, 1), "{}", run.errors);
    assert!(run.reasons()[0].contains("larger than the limit"), "{:?}", run.reasons());
    assert_eq!(tracks(&server.client, &collection).await.len(), 2);
    server.node.stop().await;
}
