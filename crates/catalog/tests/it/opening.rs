//! Opening a database: for the first time, again, and concurrently.

use std::sync::Mutex;
use std::time::Duration;

use futures::future::join_all;
use sea_orm::{ConnectionTrait, DbBackend, Statement, TransactionTrait};
use tokio::io::AsyncReadExt;
use tonearm_catalog::{
    Backend, Catalog, CatalogError, ConnectOptions, DatabaseUrl, Migrate, MigrationEvent, SchemaError,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;
use crate::upgrades::{BULK, QUEUES, go_back};

tonearm_fixtures::on_both_empty!(
    opened_again_it_is_the_same,
    opened_by_many_at_once,
    opened_by_an_older_version_it_says_so,
    a_newer_neighbour_is_borne_with,
    an_older_database_is_left_alone_until_it_may_be_changed,
    an_older_database_is_migrated_once_by_many,
    records_of_unreleased_builds_are_moved,
    nobody_waits_for_a_migration_for_ever,
    an_empty_database_is_left_alone_where_it_has_to_be,
    closed_it_is_not_available,
);

async fn opened_again_it_is_the_same(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    catalog.ping().await.unwrap();
    catalog.close().await.unwrap();
    let catalog = database.catalog().await;
    assert_eq!(catalog.organizations().await.unwrap(), [organization]);
    let expected = if database.url.starts_with("sqlite") { Backend::Sqlite } else { Backend::Postgres };
    assert_eq!(catalog.backend(), expected);
}

async fn opened_by_many_at_once(database: TestDatabase) {
    let database = std::sync::Arc::new(database);
    let openings = (0..8).map(|_| {
        let database = database.clone();
        tokio::spawn(async move { database.catalog().await })
    });
    for catalog in join_all(openings).await {
        assert_eq!(catalog.unwrap().organizations().await.unwrap(), []);
    }
}

async fn opened_by_an_older_version_it_says_so(database: TestDatabase) {
    drop(database.catalog().await);
    let later = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9999_of_another_time', 0)";
    database.raw().await.execute_unprepared(later).await.unwrap();
    let error = Catalog::connect(&database.database_url(), ConnectOptions::default()).await.err().unwrap();
    assert!(error.to_string().contains("newer version"), "{error}");
}

fn options(migrate: Migrate) -> ConnectOptions {
    ConnectOptions { migrate, ..ConnectOptions::default() }
}

async fn a_newer_neighbour_is_borne_with(database: TestDatabase) {
    drop(database.catalog().await);
    let raw = database.raw().await;
    let later = |name: &str, kind: &str, oldest: &str| {
        format!(
            "INSERT INTO schema_step (name, kind, oldest_version, parts_done, began_at, applied_at) \
             VALUES ('{name}', '{kind}', {oldest}, 1, 0, 0)"
        )
    };
    raw.execute_unprepared(&later("m9997_more", "expand", "NULL")).await.unwrap();
    raw.execute_unprepared(&later("m9998_less", "contract", "'0.0.1'")).await.unwrap();
    for migrate in [Migrate::Never, Migrate::IfEmpty, Migrate::Always] {
        Catalog::connect(&database.database_url(), options(migrate)).await.unwrap().close().await.unwrap();
    }
    raw.execute_unprepared(&later("m9999_much_less", "contract", "'999.1.0'")).await.unwrap();
    for migrate in [Migrate::Never, Migrate::IfEmpty, Migrate::Always] {
        let error = Catalog::connect(&database.database_url(), options(migrate)).await.err().unwrap();
        assert!(error.to_string().contains("Version 999.1.0 or newer is required"), "{error}");
    }
}

/// The steps that the previous version lacks.
const STEPS: &[&str] = &[
    "m0020_queues",
    "m0021_scheduled_tasks",
    "m0022_bulk_work",
    "m0023_many_rows",
    "m0024_retention",
    "m0025_totals",
    "m0026_known_devices",
    "m0027_cache_policy",
    "m0028_album_places",
    "m0029_quotas",
    "m0030_track_lookup",
    "m0031_imports",
    "m0033_uploads",
    "m0034_source_lookup",
    "m0035_replacements",
    "m0036_import_buckets",
    "m0037_listens",
    "m0039_share_links",
    "m0040_people_and_keys",
    "m0041_upload_persons",
    "m0042_undo_entries",
    "m0043_second_factors",
    "m0044_identities",
    "m0046_person_language",
    "m0047_listen_countries",
    "m0048_rotations",
    "m0049_certificates",
    "m0050_node",
    "m0051_removal_hold",
    "m0052_traces",
    "m0053_operations",
    "m0055_node_secrets",
    "m0056_cover_objects",
    "m0057_claimed_people",
    "m0058_factor_setups",
    "m0059_taken_addresses",
    "m0060_makers",
    "m0061_session_handles",
    "m0068_answered_statuses",
    "m0070_key_list",
    "m0072_folding",
    "m0075_cover_basis",
    "m0078_listened_excerpts",
    "m0080_record_counts",
    "m0081_arrived_bytes",
    "m0086_event_versions",
    "m0087_work_in_progress",
    "m0089_counted_changes",
    "m0090_upload_openers",
    "m0091_former_files",
    "m0093_replaced_bytes",
    "m0096_upload_makers",
    "m0101_plain_letters",
    "m0102_import_makers",
    "m0103_former_sources",
    "m0104_text_changes",
    "m0105_bucket_makers",
    "m0106_session_recipes",
    "m0107_inner_words",
    "m0108_key_recipes",
    "m0109_played",
];

async fn older(database: &TestDatabase) {
    go_back(database, database.catalog().await, QUEUES).await;
}

async fn an_older_database_is_left_alone_until_it_may_be_changed(database: TestDatabase) {
    older(&database).await;
    let (url, missing) = (database.database_url(), STEPS);
    for migrate in [Migrate::Never, Migrate::IfEmpty] {
        let error = Catalog::connect(&url, options(migrate)).await.err().unwrap();
        assert!(matches!(error, CatalogError::Schema(SchemaError::Behind)), "{error:?}");
        assert!(error.to_string().contains("Run `tonearm migrate`"), "{error}");
    }
    assert_eq!(Catalog::missing_steps(&url, &ConnectOptions::default()).await.unwrap(), missing);
    let seen = Mutex::new(Vec::new());
    let report = |event: MigrationEvent<'_>| {
        if let MigrationEvent::Step { name } = event {
            seen.lock().unwrap().push(name.to_owned());
        }
    };
    assert_eq!(Catalog::migrate(&url, &ConnectOptions::default(), &report).await.unwrap(), STEPS.len());
    assert_eq!(*seen.lock().unwrap(), missing);
    assert_eq!(Catalog::migrate(&url, &ConnectOptions::default(), &report).await.unwrap(), 0);
    assert_eq!(Catalog::missing_steps(&url, &ConnectOptions::default()).await.unwrap(), [""; 0]);
    Catalog::connect(&url, options(Migrate::Never)).await.unwrap();
}

async fn an_older_database_is_migrated_once_by_many(database: TestDatabase) {
    older(&database).await;
    let migrations = (0..4).map(|_| {
        let url = database.database_url();
        tokio::spawn(async move { Catalog::migrate(&url, &ConnectOptions::default(), &|_| {}).await })
    });
    let counts: Vec<usize> =
        join_all(migrations).await.into_iter().map(|done| done.unwrap().unwrap()).collect();
    assert_eq!(counts.iter().sum::<usize>(), STEPS.len(), "{counts:?}");
    assert_eq!(database.catalog().await.organizations().await.unwrap(), []);
}

/// Unreleased builds recorded two steps in a table where earlier versions reject names that they do not know.
async fn records_of_unreleased_builds_are_moved(database: TestDatabase) {
    go_back(&database, database.catalog().await, BULK).await;
    let raw = database.raw().await;
    for statement in [
        "DROP TABLE schema_step",
        "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m0020_queues', 0), ('m0021_scheduled_tasks', 0)",
    ] {
        raw.execute_unprepared(statement).await.unwrap();
    }
    let error = Catalog::connect(&database.database_url(), options(Migrate::IfEmpty)).await.err().unwrap();
    assert!(matches!(error, CatalogError::Schema(SchemaError::Behind)), "{error:?}");
    let catalog = database.upgraded().await;
    assert_eq!(catalog.organizations().await.unwrap(), []);
    let left = "DELETE FROM seaql_migrations WHERE version > 'm0020'";
    assert_eq!(raw.execute_unprepared(left).await.unwrap().rows_affected(), 0);
}

async fn nobody_waits_for_a_migration_for_ever(database: TestDatabase) {
    older(&database).await;
    let (raw, waits) = (database.raw().await, Mutex::new(0));
    let file = database.database_url().sqlite_path().map(|path| {
        let path = format!("{}.migrate.lock", path.display());
        std::fs::OpenOptions::new().write(true).create(true).truncate(false).open(path).unwrap()
    });
    let held = raw.begin().await.unwrap();
    match &file {
        Some(file) => file.lock().unwrap(),
        None => {
            let lock = format!("SELECT pg_advisory_xact_lock({})", 0x746F_6E65_6172_6D02_i64);
            held.execute_unprepared(&lock).await.unwrap();
        }
    }
    let options = ConnectOptions { migration_wait: Duration::from_millis(300), ..options(Migrate::Always) };
    let report = |event: MigrationEvent<'_>| {
        if let MigrationEvent::Waiting = event {
            *waits.lock().unwrap() += 1;
        }
    };
    let error = Catalog::migrate(&database.database_url(), &options, &report).await.err().unwrap();
    assert!(matches!(error, CatalogError::Schema(SchemaError::Busy)), "{error:?}");
    assert_eq!(*waits.lock().unwrap(), 1);
    drop(file);
    held.rollback().await.unwrap();
    assert_eq!(Catalog::migrate(&database.database_url(), &options, &report).await.unwrap(), STEPS.len());
}

async fn an_empty_database_is_left_alone_where_it_has_to_be(database: TestDatabase) {
    let url = database.database_url();
    for _ in 0..2 {
        let missing = Catalog::missing_steps(&url, &ConnectOptions::default()).await;
        assert!(matches!(missing, Err(CatalogError::Schema(SchemaError::Empty))), "{missing:?}");
    }
    assert!(!url.sqlite_path().is_some_and(std::path::Path::exists), "looking makes no file");
    let error = Catalog::connect(&url, options(Migrate::Never)).await.err().unwrap();
    assert!(matches!(error, CatalogError::Schema(SchemaError::Empty)), "{error:?}");
    assert_eq!(database.catalog().await.organizations().await.unwrap(), []);
}

async fn closed_it_is_not_available(database: TestDatabase) {
    let catalog = database.catalog().await;
    let left = catalog.clone();
    catalog.close().await.unwrap();
    for error in [left.ping().await.unwrap_err(), left.begin().await.err().unwrap()] {
        assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
        assert_eq!(error.to_string(), "the database is unavailable");
    }
}

#[tokio::test]
async fn the_file_of_sqlite_is_private() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b c/catalog.db");
    let catalog = Catalog::connect(&DatabaseUrl::sqlite(&path), ConnectOptions::default()).await.unwrap();
    catalog.organizations().await.unwrap();
    for file in std::fs::read_dir(path.parent().unwrap()).unwrap() {
        let file = file.unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
    let folder_mode = path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(folder_mode, 0o700);
}

/// Of the settings that keep a committed row through a power failure, this one is stored in the file.
#[tokio::test]
async fn sqlite_writes_ahead() {
    let database = TestDatabase::sqlite();
    drop(database.catalog().await);
    let raw = database.raw().await;
    let ask = sea_orm::Statement::from_string(sea_orm::DbBackend::Sqlite, "PRAGMA journal_mode");
    let mode = raw.query_one_raw(ask).await.unwrap().unwrap();
    assert_eq!(mode.try_get_by_index::<String>(0).unwrap(), "wal");
}

#[tokio::test]
async fn a_server_that_is_away_is_not_available() {
    let url: DatabaseUrl = "postgres://me:secret@127.0.0.1:1/tonearm".parse().unwrap();
    let options = ConnectOptions { acquire_timeout: Duration::from_millis(200), ..Default::default() };
    let error = Catalog::connect(&url, options).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
}

/// Proxies do this while the server behind them is down: they accept connections, and close them once the client has
/// sent something.
#[tokio::test]
async fn a_server_that_closes_connections_is_not_available() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://me:secret@{}/tonearm", listener.local_addr().unwrap());
    let closing = tokio::spawn(async move {
        loop {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut asked = [0; 8];
            client.read_exact(&mut asked).await.unwrap();
        }
    });
    let options = ConnectOptions { acquire_timeout: Duration::from_millis(200), ..Default::default() };
    let error = Catalog::connect(&url.parse().unwrap(), options).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
    closing.abort();
}

#[tokio::test]
async fn a_folder_that_cannot_be_made_is_not_available() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let url = DatabaseUrl::sqlite(file.path().join("catalog.db"));
    let error = Catalog::connect(&url, ConnectOptions::default()).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
}

async fn with_short_statements(database: &TestDatabase) -> Catalog {
    let options = ConnectOptions { statement_timeout: Duration::from_millis(500), ..Default::default() };
    Catalog::connect(&database.database_url(), options).await.unwrap()
}

/// A node that is paused in the middle of a transaction does not block others for long.
#[tokio::test]
async fn who_stands_still_holds_no_locks_for_long() {
    let database = TestDatabase::postgres().await;
    let (paused, other) = (with_short_statements(&database).await, database.catalog().await);
    let (ambient, _) = tonearm_fixtures::ambient();
    let (organization, _) = stored_collection(&other, &ambient).await;
    let holding = paused.begin().await.unwrap();
    assert!(holding.organization(organization.id).await.unwrap().is_some());
    // Waits until the lock is released.
    let next = other.begin().await.unwrap();
    assert!(next.organization(organization.id).await.unwrap().is_some());
    next.commit().await.unwrap();
    assert!(holding.organization(organization.id).await.is_err());
    assert!(holding.commit().await.is_err());
    assert_eq!(paused.organization(organization.id).await.unwrap().map(|it| it.id), Some(organization.id));
}

#[tokio::test]
async fn no_statement_waits_for_ever() {
    let database = TestDatabase::postgres().await;
    let (hurried, other) = (with_short_statements(&database).await, database.catalog().await);
    let (ambient, _) = tonearm_fixtures::ambient();
    let (organization, _) = stored_collection(&other, &ambient).await;
    let holding = other.begin().await.unwrap();
    assert!(holding.organization(organization.id).await.unwrap().is_some());
    let tx = hurried.begin().await.unwrap();
    let error = tx.organization(organization.id).await.err().unwrap();
    assert!(matches!(error, CatalogError::Unavailable(_)), "{error:?}");
    drop(tx);
    holding.commit().await.unwrap();
    let tx = hurried.begin().await.unwrap();
    assert!(tx.organization(organization.id).await.unwrap().is_some());
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_server_says_how_many_connections_it_takes() {
    let (file, server) = (TestDatabase::sqlite(), TestDatabase::postgres().await);
    assert_eq!(file.catalog().await.most_connections().await.unwrap(), None);
    let most = server.catalog().await.most_connections().await.unwrap().unwrap();
    let raw = server.raw().await;
    let ask = "SELECT CAST(setting AS integer) AS most FROM pg_settings WHERE name = 'max_connections'";
    let row = raw.query_one_raw(Statement::from_string(DbBackend::Postgres, ask)).await.unwrap().unwrap();
    let all: i32 = row.try_get("", "most").unwrap();
    assert!((1..all as u32).contains(&most), "{most} of {all}: some are reserved");
}
