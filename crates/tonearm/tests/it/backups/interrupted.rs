//! Backups and restores that are killed continue where they stopped.

use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection, Statement, TransactionTrait};
use tempfile::TempDir;
use tonearm_fixtures::{EVENTUALLY, S3Server};
use tonearm_testkit::{Backend, Client};

use super::{Service, files_below, fill, heard};
use crate::command_output::{errors_of, last_json_of};

/// Waits until a command has copied something, then kills it with SIGKILL. Fails if the command ends by itself.
pub(super) fn kill_once(mut child: Child, has_begun: impl Fn() -> bool) {
    let begun = Instant::now();
    while !has_begun() {
        assert!(begun.elapsed() < EVENTUALLY, "it copies nothing");
        assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Where a backup is written to.
enum Destination {
    Folder(TempDir),
    Bucket(S3Server),
}

impl Destination {
    fn url(&self) -> String {
        match self {
            Self::Folder(folder) => folder.path().to_str().unwrap().to_owned(),
            Self::Bucket(bucket) => bucket.url_with_prefix("/backups/tonearm"),
        }
    }

    /// Whether an object has been copied there.
    fn has_objects(&self) -> bool {
        match self {
            Self::Folder(folder) => !files_below(&folder.path().join("objects")).is_empty(),
            Self::Bucket(bucket) => bucket.files().iter().any(|path| is_object(path)),
        }
    }
}

/// Whether a file in a bucket is an object of a track or its cover, and not a file that a store or a backup keeps about
/// itself.
fn is_object(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    ["hq.", "lq.", "preview.", "source.", "levels.", "cover"].iter().any(|label| name.starts_with(label))
}

impl Service {
    fn has_objects(&self) -> bool {
        match &self._s3 {
            Some(bucket) => bucket.files().iter().any(|path| is_object(path)),
            None => !files_below(&self.objects()).is_empty(),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_to_a_folder_and_a_killed_restore_go_on() {
    let destination = Destination::Folder(tempfile::tempdir().unwrap());
    killed_and_continued(Backend::Embedded, &destination, Backend::Embedded).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_to_a_bucket_and_a_killed_restore_elsewhere_go_on() {
    killed_and_continued(Backend::Distributed, &Destination::Bucket(S3Server::start()), Backend::Embedded)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_backup_and_a_killed_restore_to_servers_go_on() {
    killed_and_continued(Backend::Embedded, &Destination::Bucket(S3Server::start()), Backend::Distributed)
        .await;
}

async fn killed_and_continued(first: Backend, destination: &Destination, second: Backend) {
    let (service, client) = Service::running(first).await;
    let tracks = fill(&client, 3).await;
    let before = heard(&client, &tracks).await;
    let target = destination.url();

    // This rate makes the backup take minutes.
    let slow = service.program.begin(&["backup", &target, "--rate", "20KB/s"]);
    kill_once(slow, || destination.has_objects());
    let refused = Service::new(second).await.program.run(&["restore", &target]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(errors_of(&refused).contains("no complete backup"), "{}", errors_of(&refused));
    let last =
        |service: &Service| last_json_of(&service.program.run(&["status", "--json"]))["last_backup"].clone();
    assert!(last(&service).is_null(), "it did not come to its end");
    let backup = service.back_up(&target);
    assert!(last(&service)["finished_at"].is_string(), "{}", last(&service));
    let number = |name: &str| backup[name].as_u64().unwrap();
    assert!(number("copied") < number("objects"), "what was copied is not copied again: {backup}");

    let mut other = Service::new(second).await;
    let slow = other.program.begin(&["restore", &target, "--rate", "20KB/s"]);
    kill_once(slow, || other.has_objects());
    let restored = other.restore(&target);
    let copied = restored["copied"].as_u64().unwrap();
    assert!(copied < number("objects"), "what was copied is not copied again: {restored}");
    assert_eq!(restored["objects"], backup["objects"]);
    drop(service);
    other.program.start().await;
    let there = Client::new(&other.program.url(), client.key());
    assert_eq!(heard(&there, &tracks).await, before);
    assert_eq!(last_json_of(&other.program.run(&["verify", "--deep", "--json"]))["summary"]["findings"], 0);
}

/// Waits until a query of the database returns true. Fails if the command ends first.
async fn until(raw: &DatabaseConnection, child: &mut Child, question: &str) {
    let begun = Instant::now();
    loop {
        let asked = Statement::from_string(raw.get_database_backend(), question);
        let row = raw.query_one_raw(asked).await.unwrap().unwrap();
        if row.try_get::<bool>("", "is_true").unwrap() {
            return;
        }
        assert!(begun.elapsed() < EVENTUALLY, "not in time: {question}");
        assert!(child.try_wait().unwrap().is_none(), "the command ended before: {question}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The SQL query for whether a command waits for a matching lock.
fn waits_for(lock: &str) -> String {
    format!(
        "SELECT EXISTS (SELECT 1 FROM pg_locks WHERE NOT granted AND {lock} AND database = \
         (SELECT oid FROM pg_database WHERE datname = current_database())) AS is_true"
    )
}

/// Tables are created before objects are copied. Rows are loaded afterwards.
const HAS_TABLES: &str = "SELECT to_regclass('store') IS NOT NULL AND EXISTS (SELECT 1 FROM schema_step \
    WHERE name = 'm0053_operations' AND applied_at IS NOT NULL) AS is_true";

/// A restore that is killed while it loads rows leaves no rows. A restore that is killed later does not load them
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn a_restore_that_is_killed_behind_the_objects_goes_on() {
    let (service, client) = Service::running(Backend::Distributed).await;
    let tracks = fill(&client, 2).await;
    let before = heard(&client, &tracks).await;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().to_str().unwrap();
    let backup = service.back_up(target);
    let other_folder = tempfile::tempdir().unwrap();
    let other_target = other_folder.path().to_str().unwrap();
    service.back_up(other_target);
    drop(service);

    let mut other = Service::new(Backend::Distributed).await;
    let raw = Database::connect(&other._database.as_ref().unwrap().url).await.unwrap();

    // Loading the row of a track waits for a lock that this test holds.
    let held = raw.begin().await.unwrap();
    held.execute_unprepared("SELECT pg_advisory_xact_lock(53)").await.unwrap();
    let mut loading = other.program.begin(&["restore", target, "--rate", "100KB/s"]);
    until(&raw, &mut loading, "SELECT to_regclass('schema_step') IS NOT NULL AS is_true").await;
    until(&raw, &mut loading, HAS_TABLES).await;
    for statement in [
        "CREATE FUNCTION wait_for_test() RETURNS boolean LANGUAGE plpgsql AS \
         $$ BEGIN PERFORM pg_advisory_xact_lock_shared(53); RETURN true; END $$",
        "ALTER TABLE track ADD CONSTRAINT waits_for_test CHECK (wait_for_test()) NOT VALID",
    ] {
        raw.execute_unprepared(statement).await.unwrap();
    }
    until(&raw, &mut loading, &waits_for("locktype = 'advisory' AND objid = 53")).await;
    loading.kill().unwrap();
    loading.wait().unwrap();
    held.rollback().await.unwrap();
    raw.execute_unprepared("ALTER TABLE track DROP CONSTRAINT waits_for_test").await.unwrap();
    let count = "SELECT NOT EXISTS (SELECT 1 FROM organization) AS is_true";
    let asked = Statement::from_string(raw.get_database_backend(), count);
    let is_empty: bool = raw.query_one_raw(asked).await.unwrap().unwrap().try_get("", "is_true").unwrap();
    assert!(is_empty, "rows are loaded all together");

    // The same command continues. Its rows are committed, and linking the store waits for a lock.
    let held = raw.begin().await.unwrap();
    held.execute_unprepared("LOCK TABLE store IN EXCLUSIVE MODE").await.unwrap();
    let mut linking = other.program.begin(&["restore", target]);
    until(&raw, &mut linking, &waits_for("locktype = 'relation' AND relation = 'store'::regclass")).await;
    linking.kill().unwrap();
    linking.wait().unwrap();
    held.rollback().await.unwrap();
    raw.close().await.unwrap();
    let refused = other.program.run(&["restore", other_target]);
    assert_eq!(refused.status.code(), Some(1));
    let name = backup["backup"].as_str().unwrap();
    assert!(errors_of(&refused).contains(&format!("`--backup {name}`")), "{}", errors_of(&refused));

    let restored = other.restore(target);
    assert_eq!((&restored["rows"], &restored["objects"]), (&backup["rows"], &backup["objects"]));
    assert_eq!((&restored["copied"], &restored["findings"]), (&0.into(), &0.into()));
    let again = other.program.run(&["restore", target]);
    assert!(errors_of(&again).contains("the database is not empty"), "{}", errors_of(&again));
    other.program.start().await;
    let there = Client::new(&other.program.url(), client.key());
    assert_eq!(heard(&there, &tracks).await, before);
}
