//! Databases that the previous version wrote (`fixtures/make` says how). This version does not change them until it may
//! migrate them, and continues with their contents. `make neighbours` runs both versions on one database.

use std::path::{Path, PathBuf};

use sea_orm::{ConnectionTrait, Database, DatabaseConnection};
use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_fixtures::audio::{WavSpec, wav};
use tonearm_fixtures::{TestDatabase, on_both_empty};
use tonearm_testkit::{Client, Program};

use crate::command_output::printed;
use crate::{binary, text};

on_both_empty!(
    a_migrated_database_goes_on,
    commands_leave_an_older_database_alone,
    nodes_that_start_at_once_migrate_once,
    two_versions_share_a_database,
);

/// A database of the previous version, and its objects.
struct Old {
    database: TestDatabase,
    folder: TempDir,
    facts: Value,
}

impl Old {
    async fn load(database: TestDatabase) -> Self {
        let is_sqlite = database.url.starts_with("sqlite");
        let kind = if is_sqlite { "sqlite" } else { "postgres" };
        let file = |suffix: &str| {
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/e49ecea/{kind}.{suffix}"))
        };
        let made = if is_sqlite { format!("{}?mode=rwc", database.url) } else { database.url.clone() };
        let db = Database::connect(made).await.unwrap();
        db.execute_unprepared(&std::fs::read_to_string(file("sql")).unwrap()).await.unwrap();
        db.close().await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        copy(&file("objects"), &folder.path().join("objects"));
        let facts = serde_json::from_str(&std::fs::read_to_string(file("json")).unwrap()).unwrap();
        Self { database, folder, facts }
    }

    /// A node of either version on this database.
    fn node(&self, binary: &Path, name: &str) -> Program {
        let data_dir = self.folder.path().join(name);
        std::fs::create_dir(&data_dir).unwrap();
        let mut node = Program::new(binary, &data_dir);
        node.set("TONEARM_DATABASE_URL", &self.database.url);
        node.set("TONEARM_STORAGE_URL", &format!("file://{}/objects", self.folder.path().display()));
        node.set("TONEARM_SECRET", self.fact("secret"));
        node
    }

    fn client(&self, node: &Program) -> Client {
        Client::new(&node.url(), self.fact("api_key"))
    }

    fn fact(&self, name: &str) -> &str {
        text(&self.facts, &format!("/{name}"))
    }

    async fn raw(&self) -> DatabaseConnection {
        Database::connect(&self.database.url).await.unwrap()
    }

    /// Whether a step is recorded that the previous version does not know.
    async fn is_changed(&self) -> bool {
        self.raw().await.execute_unprepared("SELECT name FROM schema_step").await.is_ok()
    }
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).unwrap();
        }
    }
}

/// Waits until a track is ready, and plays it.
async fn plays(client: &Client, track: &str) {
    let settled = client.settled(track).await;
    assert_eq!(settled["track_status_id"], "ready", "{settled}");
    let session = client.post("/v1/play_session/track", &json!({"track_id": track})).await.ok();
    let heard = client.get(text(&session, "/first_track/variants/0/url")).await;
    assert_eq!(heard.status, 200);
    assert!(heard.bytes.len() > 1000, "{} bytes", heard.bytes.len());
}

fn sound() -> Vec<u8> {
    wav(&WavSpec { seconds: 1.0, ..WavSpec::default() })
}

async fn a_migrated_database_goes_on(database: TestDatabase) {
    let old = Old::load(database).await;
    let mut node = old.node(binary(), "node");
    node.serve_with("--migrate");
    node.start().await;
    let client = old.client(&node);
    plays(&client, old.fact("ready")).await;
    // The previous version queued its job.
    plays(&client, old.fact("waiting")).await;
    let new = client.upload(old.fact("collection_id"), "new.wav", sound()).await;
    plays(&client, &new).await;
    assert!(node.terminate(), "{}", node.log());
}

async fn commands_leave_an_older_database_alone(database: TestDatabase) {
    let old = Old::load(database).await;
    let mut node = old.node(binary(), "node");
    for command in [&["org", "list"] as &[&str], &["job", "list"], &["doctor"]] {
        let refused = node.run(command);
        assert_eq!(refused.status.code(), Some(1), "{command:?}");
        assert!(printed(&refused).contains("Run `tonearm migrate`"), "{command:?}: {}", printed(&refused));
    }
    let check = node.run(&["migrate", "--check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(printed(&check).starts_with("m0020_queues\nm0021_scheduled_tasks\n"), "{}", printed(&check));
    node.set("TONEARM_DATABASE_MIGRATE", "false");
    let serve = node.run(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(serve.status.code(), Some(1));
    assert!(printed(&serve).contains("start the service with `--migrate`"), "{}", printed(&serve));
    assert!(!old.is_changed().await);

    let migrated = node.run(&["migrate"]);
    assert!(migrated.status.success(), "{}", printed(&migrated));
    for part in ["m0020_queues", "index job_by_queue_run_at", "steps were applied"] {
        assert!(printed(&migrated).contains(part), "{part}: {}", printed(&migrated));
    }
    assert!(old.is_changed().await);
    for command in [&["migrate"] as &[&str], &["migrate", "--check"]] {
        let again = node.run(command);
        assert!(again.status.success() && printed(&again).contains("is up to date."), "{}", printed(&again));
    }
    assert!(printed(&node.run(&["org", "list"])).contains("Old label"));
    node.start().await;
    assert!(node.terminate(), "{}", node.log());
}

async fn nodes_that_start_at_once_migrate_once(database: TestDatabase) {
    let old = Old::load(database).await;
    let mut nodes: Vec<Program> = (0..3).map(|index| old.node(binary(), &format!("node-{index}"))).collect();
    for node in &mut nodes {
        node.serve_with("--migrate");
        node.spawn();
    }
    for node in &mut nodes {
        node.wait_until_up().await;
    }
    let logs: String = nodes.iter().map(Program::log).collect();
    assert_eq!(logs.matches("m0020_queues").count(), 1, "{logs}");
    plays(&old.client(&nodes[2]), old.fact("waiting")).await;
}

/// The program of the previous version, if the test is given one.
fn neighbour() -> Option<PathBuf> {
    let path = std::env::var_os("TONEARM_NEIGHBOUR");
    if path.is_none() {
        println!("not run: TONEARM_NEIGHBOUR names no program; `make neighbours` builds one");
    }
    path.map(PathBuf::from)
}

async fn two_versions_share_a_database(database: TestDatabase) {
    let Some(neighbour) = neighbour() else {
        return;
    };
    let old = Old::load(database).await;
    let collection = old.fact("collection_id");
    // The previous version is in use while the tables are migrated.
    let mut before = old.node(&neighbour, "before");
    before.set("TONEARM_ROLES", "api,edge");
    before.start().await;
    let mut after = old.node(binary(), "after");
    let migrated = after.run(&["migrate"]);
    assert!(migrated.status.success(), "{}", printed(&migrated));

    // Queued by the previous version, also after the migration, and processed by this one.
    let first = old.client(&before).upload(collection, "first.wav", sound()).await;
    after.start().await;
    for track in [old.fact("ready"), old.fact("waiting"), &first] {
        plays(&old.client(&after), track).await;
        plays(&old.client(&before), track).await;
    }
    // Queued by this version, and processed by the previous one, which starts on the migrated database.
    assert!(before.terminate(), "{}", before.log());
    assert!(after.terminate(), "{}", after.log());
    before.set("TONEARM_ROLES", "api,worker,edge");
    after.set("TONEARM_ROLES", "api,edge");
    before.start().await;
    after.start().await;
    let second = old.client(&after).upload(collection, "second.wav", sound()).await;
    plays(&old.client(&before), &second).await;
    plays(&old.client(&after), &second).await;
    // Both versions work at the same time.
    assert!(after.terminate(), "{}", after.log());
    after.set("TONEARM_ROLES", "api,worker,edge");
    after.start().await;
    let mut tracks = Vec::new();
    for number in 0..8 {
        let client = old.client(if number % 2 == 0 { &before } else { &after });
        tracks.push(client.upload(collection, &format!("{number}.wav"), sound()).await);
    }
    for (number, track) in tracks.iter().enumerate() {
        plays(&old.client(if number % 2 == 0 { &after } else { &before }), track).await;
    }
    // Back to the previous version, alone.
    assert!(after.terminate(), "{}", after.log());
    let last = old.client(&before).upload(collection, "last.wav", sound()).await;
    plays(&old.client(&before), &last).await;
    assert!(before.terminate(), "{}", before.log());
}
