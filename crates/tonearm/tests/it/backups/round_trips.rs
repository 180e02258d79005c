//! Backups that are restored to the same or to other backends, and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use tonearm_fixtures::S3Server;
use tonearm_testkit::{Backend, Client, Program};

use super::{Service, files_below, fill, heard, sound};
use crate::command_output::{last_json_of, succeed};
use crate::text;

/// From a laptop to servers and back, with uploads during each backup.
#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_and_a_folder_to_postgres_and_s3_and_back() {
    there_and_back(Backend::Embedded, Backend::Distributed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_and_a_folder_to_the_same() {
    there_and_back(Backend::Embedded, Backend::Embedded).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_postgres_and_s3_to_the_same() {
    there_and_back(Backend::Distributed, Backend::Distributed).await;
}

async fn there_and_back(first: Backend, second: Backend) {
    let (service, client) = Service::running(first).await;
    let tracks = fill(&client, 3).await;
    let before = heard(&client, &tracks).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let backup = while_uploading(&service.program, &client, target).await;
    assert_eq!(backup["damaged"], 0, "{backup}");
    assert_eq!(backup["copied"], backup["objects"], "{backup}");

    let mut other = Service::new(second).await;
    let restored = other.restore(target);
    assert_eq!((&restored["lost"], &restored["findings"]), (&0.into(), &0.into()), "{restored}");
    assert_eq!((&restored["rows"], &restored["objects"]), (&backup["rows"], &backup["objects"]));
    other.program.start().await;
    let there = Client::new(&other.program.url(), client.key());
    assert_eq!(heard(&there, &tracks).await, before, "the same bytes under the same names");
    let more = fill(&there, 1).await;
    drop(service);

    let bucket = S3Server::start();
    let target = bucket.url_with_prefix("/backups/tonearm");
    let backup = while_uploading(&other.program, &there, &target).await;
    assert_eq!(backup["damaged"], 0, "{backup}");
    let mut back = Service::new(first).await;
    back.restore(&target);
    drop(other);
    back.program.start().await;
    let back_again = Client::new(&back.program.url(), client.key());
    assert_eq!(heard(&back_again, &tracks).await, before);
    heard(&back_again, &more).await;
    succeed(&back.program.run(&["verify", "--deep"]));
}

/// Makes a backup while tracks are created, uploaded and deleted. Some of these operations begin and end while the
/// backup runs.
async fn while_uploading(program: &Program, client: &Client, target: &str) -> serde_json::Value {
    let (stop, uploaded) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
    let first = Arc::new(tokio::sync::Notify::new());
    let uploading = tokio::spawn({
        let (client, stop, uploaded, first) = (client.clone(), stop.clone(), uploaded.clone(), first.clone());
        async move {
            let collection = client.collection("Meanwhile").await;
            let mut number = 100;
            while !stop.load(Ordering::Relaxed) {
                let id = client.upload(&collection, "meanwhile.wav", sound(number)).await;
                if number % 2 == 0 {
                    client.delete(&format!("/v1/track/{id}")).await.ok();
                }
                number += 1;
                uploaded.fetch_add(1, Ordering::Relaxed);
                first.notify_one();
            }
        }
    });
    first.notified().await;
    let before = uploaded.load(Ordering::Relaxed);
    // At this rate it takes longer than two uploads.
    let made = tokio::task::block_in_place(|| program.run(&["backup", target, "--rate", "1MB/s", "--json"]));
    let meanwhile = uploaded.load(Ordering::Relaxed) - before;
    assert!(meanwhile > 1, "{meanwhile} tracks were uploaded during the backup");
    stop.store(true, Ordering::Relaxed);
    uploading.await.unwrap();
    last_json_of(&made)
}

/// A second backup copies only new objects, `list` shows both, and `--keep` removes the first backup and the objects
/// that only it names.
#[tokio::test(flavor = "multi_thread")]
async fn backups_share_objects_and_are_pruned() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let first = service.back_up(target);
    fill(&client, 1).await;
    let second = service.back_up(target);
    let number = |value: &serde_json::Value, name: &str| value[name].as_u64().unwrap();
    assert!(number(&second, "copied") < number(&second, "objects"), "{second}");
    assert!(number(&second, "objects") > number(&first, "objects"), "{second}");
    let listed = service.program.run(&["backup", "list", target, "--json"]);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let names: Vec<serde_json::Value> = listed
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["backup"].clone())
        .collect();
    assert_eq!(names, [first["backup"].clone(), second["backup"].clone()]);

    // An object that no backup names, as an interrupted backup leaves it. All objects are old.
    let pool = folder.path().join("objects");
    let object = files_below(&pool).into_iter().next().unwrap();
    let name = object.file_name().unwrap().to_str().unwrap();
    let (label, rest) = name.split_once('.').unwrap();
    let stray = object.with_file_name(format!("{label}.aaaaaaaaaaaa.{}", rest.split_once('.').unwrap().1));
    std::fs::copy(&object, &stray).unwrap();
    let long_ago = std::fs::metadata(&stray).unwrap().modified().unwrap() - Duration::from_secs(3 * 86_400);
    for file in files_below(&pool) {
        set_modified(&file, long_ago);
    }
    let third = last_json_of(&service.program.run(&["backup", target, "--keep", "1", "--json"]));
    assert_eq!((&third["pruned"], &third["pruned_objects"]), (&2.into(), &1.into()), "{third}");
    assert!(!stray.exists());
    assert!(!folder.path().join("catalog").join(text(&first, "/backup")).exists());
    let other = Service::new(Backend::Embedded).await;
    assert_eq!(other.restore(target)["lost"], 0);
}

fn set_modified(path: &std::path::Path, at: SystemTime) {
    std::fs::File::options().append(true).open(path).unwrap().set_modified(at).unwrap();
}
