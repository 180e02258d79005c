//! Backups that are not restored, and the reasons.

use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, Database};
use tonearm_testkit::{Backend, Client, Program};

use super::{SECRET, Service, files_below, fill};
use crate::command_output::{errors_of, succeed};
use crate::{binary, text};

/// Fails unless a restore is refused with a sentence that contains `reason`.
#[track_caller]
fn refused(service: &Service, arguments: &[&str], reason: &str) {
    let output = service.program.run(&[&["restore"], arguments].concat());
    assert_eq!(output.status.code(), Some(1), "{}", errors_of(&output));
    assert!(errors_of(&output).contains(reason), "{reason}: {}", errors_of(&output));
}

fn spoil(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let before = std::fs::read(path).unwrap();
    let mut bytes = before.clone();
    change(&mut bytes);
    std::fs::write(path, bytes).unwrap();
    before
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_backups_are_refused_and_leave_nothing() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let backup = service.back_up(target);
    let catalog = folder.path().join("catalog").join(text(&backup, "/backup"));
    let other = Service::new(Backend::Embedded).await;
    let flip = |bytes: &mut Vec<u8>| {
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
    };
    for name in ["track.jsonl.gz", "objects.jsonl.gz", "manifest.json"] {
        let path = catalog.join(name);
        let before = spoil(&path, flip);
        refused(&other, &[target], "the backup is damaged");
        std::fs::write(&path, before).unwrap();
    }
    let track = catalog.join("track.jsonl.gz");
    let before = spoil(&track, |bytes| bytes.truncate(10));
    refused(&other, &[target], "the backup is damaged");
    std::fs::remove_file(&track).unwrap();
    refused(&other, &[target], "track.jsonl.gz is missing");
    std::fs::write(&track, before).unwrap();
    assert!(files_below(&other.objects()).is_empty(), "nothing was copied for them");
    refused(
        &other,
        &[target, "--backup", "20200101T000000.000Z"],
        "no complete backup of 20200101T000000.000Z",
    );

    // An object in the pool is damaged. The restore names it and restores everything else.
    let pool = files_below(&folder.path().join("objects"));
    let source = pool.iter().find(|path| path.to_str().unwrap().contains("/source.")).unwrap();
    spoil(source, flip);
    // An object that no user can read, because its path is a folder.
    let unreadable = pool.iter().find(|path| path.to_str().unwrap().contains("/hq.")).unwrap();
    std::fs::remove_file(unreadable).unwrap();
    std::fs::create_dir(unreadable).unwrap();
    let output = other.program.run(&["restore", target]);
    assert_eq!(output.status.code(), Some(1), "{}", errors_of(&output));
    assert!(errors_of(&output).contains("its copy in the backup is damaged"), "{}", errors_of(&output));
    assert!(errors_of(&output).contains("its copy in the backup cannot be read"), "{}", errors_of(&output));
    let verified = other.program.run(&["verify"]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&verified.stdout).contains("the source is lost"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_backup_leaves_earlier_ones_usable() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let (first, second) = (service.back_up(target), service.back_up(target));
    let manifest = folder.path().join("catalog").join(text(&second, "/backup")).join("manifest.json");
    std::fs::write(manifest, "damaged").unwrap();
    let other = Service::new(Backend::Embedded).await;
    refused(&other, &[target], "the backup is damaged");
    let listed = other.program.run(&["backup", "list", target]);
    succeed(&listed);
    assert!(String::from_utf8_lossy(&listed.stdout).contains(text(&first, "/backup")));
    assert!(errors_of(&listed).contains(text(&second, "/backup")), "{}", errors_of(&listed));
    succeed(&other.program.run(&["restore", target, "--backup", text(&first, "/backup")]));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_an_empty_service_with_the_same_secret_takes_a_backup() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    refused(&service, &[target], "there is no complete backup");
    service.back_up(target);
    refused(&service, &[target], "the database is not empty");
    let inside = service.objects().join("backup");
    let inside = service.program.run(&["backup", inside.to_str().unwrap()]);
    assert_eq!(inside.status.code(), Some(2), "{}", errors_of(&inside));

    // Another database with the store of a service that is still there.
    let mut second = Service::new(Backend::Embedded).await;
    second.program.set("TONEARM_STORAGE_URL", &format!("file://{}", service.objects().display()));
    refused(&second, &[target], "--adopt-store");

    let mut other = Service::new(Backend::Embedded).await;
    other.program.set("TONEARM_SECRET", "another master secret which is as long");
    refused(&other, &[target], "another master secret");
    succeed(&other.program.run(&["restore", target, "--secret-changed"]));
}

/// While the master secret is replaced, data may be encrypted with either secret.
#[tokio::test(flavor = "multi_thread")]
async fn every_secret_of_a_backup_is_needed() {
    let (mut service, _client) = Service::running(Backend::Embedded).await;
    let newer = "the master secret that takes the place of it";
    service.program.set("TONEARM_SECRET", &format!("{newer},{SECRET}"));
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    service.back_up(target);
    let mut other = Service::new(Backend::Embedded).await;
    refused(&other, &[target], "another master secret");
    other.program.set("TONEARM_SECRET", newer);
    refused(&other, &[target], "several master secrets");
    other.program.set("TONEARM_SECRET", &format!("{newer},{SECRET}"));
    succeed(&other.program.run(&["restore", target]));
}

/// A secret that a command creates would not be the secret that the service had.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_secret_is_not_replaced_by_a_backup_or_a_verification() {
    let data = tempfile::tempdir().unwrap();
    let program = Program::new(binary(), data.path());
    succeed(&program.run(&["org", "create", "--name", "Backed up"]));
    let secret = data.path().join("secret");
    let text = std::fs::read_to_string(&secret).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    std::fs::remove_file(&secret).unwrap();
    let backup = program.run(&["backup", target]);
    assert_eq!(backup.status.code(), Some(1), "{}", errors_of(&backup));
    assert!(errors_of(&backup).contains("there is no master secret"), "{}", errors_of(&backup));
    succeed(&program.run(&["verify"]));
    assert!(!secret.exists());
    std::fs::write(&secret, text).unwrap();
    succeed(&program.run(&["backup", target]));
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_that_a_database_refuses_are_named_and_can_be_skipped() {
    let (mut service, client) = Service::running(Backend::Embedded).await;
    let tracks = fill(&client, 2).await;
    service.program.kill();
    let url = format!("sqlite://{}", service.data.path().join("tonearm.db").display());
    let raw = Database::connect(&url).await.unwrap();
    let spoil = format!("UPDATE track SET created_at = 'odd' WHERE id = x'{}'", tracks[0].replace('-', ""));
    assert_eq!(raw.execute_unprepared(&spoil).await.unwrap().rows_affected(), 1);
    raw.close().await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let backup = service.program.run(&["backup", target]);
    assert_eq!(backup.status.code(), Some(1), "{}", errors_of(&backup));
    for said in [format!("track {}: it cannot be read", tracks[0]), "except for 1 rows".to_owned()] {
        assert!(errors_of(&backup).contains(&said), "{said}: {}", errors_of(&backup));
    }
    // Its files are in the backup, and refer to a track that is not.
    let mut other = Service::new(Backend::Embedded).await;
    refused(&other, &[target], "--skip-damaged");
    refused(&other, &[target], "track_file ");
    assert!(files_below(&other.objects()).is_empty(), "nothing was copied");
    let skipped = other.program.run(&["restore", target, "--skip-damaged"]);
    assert_eq!(skipped.status.code(), Some(1), "{}", errors_of(&skipped));
    assert!(errors_of(&skipped).contains("the backup is restored, without "), "{}", errors_of(&skipped));
    other.program.start().await;
    let client = Client::new(&other.program.url(), client.key());
    assert_eq!(client.get(&format!("/v1/track/{}", tracks[0])).await.status, 404);
    assert_eq!(client.settled(&tracks[1]).await["track_status_id"], "ready");

    // It can be deleted, and then hinders nothing any more. So can one that was deleted before.
    service.program.start().await;
    let client = Client::new(&service.program.url(), client.key());
    let deleted = client.delete(&format!("/v1/track/{}", tracks[0])).await.ok();
    assert_eq!(text(&deleted, "/deleted_track/id"), tracks[0]);
    succeed(&service.program.run(&["backup", target]));
    service.program.kill();
    let raw = Database::connect(&url).await.unwrap();
    assert_eq!(raw.execute_unprepared(&spoil).await.unwrap().rows_affected(), 1);
    raw.close().await.unwrap();
    let verified = service.program.run(&["verify"]);
    let said = String::from_utf8_lossy(&verified.stdout).into_owned();
    assert!(said.contains(&tracks[0]) && said.contains("`tonearm verify --repair`"), "{said}");
    assert_eq!(service.program.run(&["backup", target]).status.code(), Some(1));
    let repaired = service.program.run(&["verify", "--repair"]);
    assert!(String::from_utf8_lossy(&repaired.stdout).contains("is blank now"), "{}", errors_of(&repaired));
    succeed(&service.program.run(&["backup", target]));
}

#[tokio::test(flavor = "multi_thread")]
async fn reading_a_backup_writes_nothing_there() {
    let (service, client) = Service::running(Backend::Embedded).await;
    fill(&client, 1).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("backup");
    let path = target.to_str().unwrap();
    service.back_up(path);
    // A medium that is only read does not have the folders of writers.
    for writers in [target.join(".tmp"), target.join("objects/.tmp")] {
        std::fs::remove_dir_all(writers).unwrap();
    }
    let entries = || -> Vec<PathBuf> {
        let entries = walkdir::WalkDir::new(folder.path()).sort_by_file_name();
        entries.into_iter().map(|entry| entry.unwrap().into_path()).collect()
    };
    let before = entries();
    let other = Service::new(Backend::Embedded).await;
    succeed(&other.program.run(&["backup", "list", path]));
    succeed(&other.program.run(&["restore", path]));
    assert_eq!(entries(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_does_not_exist_is_not_created_to_be_read() {
    let service = Service::new(Backend::Embedded).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("not mounted");
    let path = target.to_str().unwrap();
    let sentence = format!("there is no folder {path}; check the path, and whether its disk is mounted");
    refused(&service, &[path], &sentence);
    let listed = service.program.run(&["backup", "list", path]);
    assert_eq!(listed.status.code(), Some(1));
    assert!(errors_of(&listed).contains(&sentence), "{}", errors_of(&listed));
    assert!(!target.exists());
    assert_eq!(std::fs::read_dir(service.data.path()).unwrap().count(), 0, "nothing was begun here either");
}
