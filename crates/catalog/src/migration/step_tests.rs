//! Steps of several parts: interrupted, repeated, on both databases.
#![allow(clippy::unwrap_used, reason = "a test that cannot be prepared has failed")]

use std::sync::Mutex;

use super::prelude::*;
use sea_orm::{
    ConnectOptions as Settings, ConnectionTrait, Database, DatabaseConnection, DbBackend, Statement,
};
use tokio::sync::Notify;
use tonearm_fixtures::{TestDatabase, on_both_empty};

use super::pieces::{add, index};
use super::run::{MigrationEvent, Run};
use super::state::{Tables, VERSION, look_for};
use super::step::Step;
use crate::catalog::Catalog;
use crate::connect_options::ConnectOptions;
use crate::error::{CatalogError, SchemaError};
use crate::url::DatabaseUrl;

on_both_empty!(
    a_killed_step_goes_on_where_it_was,
    an_index_is_made_again_after_a_failure,
    an_empty_database_gets_everything_at_once,
    a_contraction_keeps_older_versions_out,
);

const ROWS: i64 = 3500;

struct AddTwice;

#[async_trait]
impl Change for AddTwice {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        add(db, "sample", ColumnDef::new("twice").integer().not_null().default(0).take()).await
    }
}

/// The steps of this version, and one more.
fn with(step: Step) -> Vec<Step> {
    super::steps().into_iter().chain([step]).collect()
}

/// A step must not add to existing values. Here, the sum shows that no batch was applied twice.
fn growing() -> Vec<Step> {
    let step = Step::expand("m9999_growing")
        .change(AddTwice)
        .backfill("sample", "UPDATE sample SET twice = twice + 2 * n WHERE {batch}")
        .index(index("sample", &["twice"]));
    with(step)
}

/// A database of this version with a large table.
async fn with_sample(database: &TestDatabase) -> DatabaseConnection {
    let url: DatabaseUrl = database.url.parse().unwrap();
    Catalog::connect(&url, ConnectOptions::default()).await.unwrap().close().await.unwrap();
    let db = alone(database).await;
    let fill = match db.get_database_backend() {
        DbBackend::Postgres => format!(
            "CREATE TABLE sample (id uuid PRIMARY KEY, n integer NOT NULL); \
             INSERT INTO sample SELECT gen_random_uuid(), 1 FROM generate_series(1, {ROWS})"
        ),
        _ => format!(
            "CREATE TABLE sample (id uuid_text PRIMARY KEY, n integer NOT NULL); \
             WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {ROWS}) \
             INSERT INTO sample SELECT randomblob(16), 1 FROM c"
        ),
    };
    db.execute_unprepared(&fill).await.unwrap();
    db
}

async fn alone(database: &TestDatabase) -> DatabaseConnection {
    let mut settings = Settings::new(&database.url);
    settings.max_connections(1);
    Database::connect(settings).await.unwrap()
}

async fn run(db: &DatabaseConnection, steps: &[Step]) -> Result<usize, CatalogError> {
    Run { db, steps, version: VERSION, report: &|_| {} }.run().await
}

async fn number(db: &DatabaseConnection, query: &str) -> i64 {
    let ask = Statement::from_string(db.get_database_backend(), query);
    db.query_one_raw(ask).await.unwrap().unwrap().try_get_by_index(0).unwrap()
}

async fn a_killed_step_goes_on_where_it_was(database: TestDatabase) {
    let (db, steps) = (with_sample(&database).await, growing());
    let (second_batch, done) = (Notify::new(), Mutex::new(Vec::new()));
    let report = |event: MigrationEvent<'_>| {
        if let MigrationEvent::Rows { done: rows, .. } = event {
            done.lock().unwrap().push(rows);
            if rows == 2000 {
                second_batch.notify_one();
            }
        }
    };
    let killed = Run { db: &db, steps: &steps, version: VERSION, report: &report };
    tokio::select! {
        result = killed.run() => panic!("it was not killed: {result:?}"),
        () = second_batch.notified() => {}
    }
    db.close().await.unwrap();
    assert_eq!(*done.lock().unwrap(), [1000, 2000]);

    let db = alone(&database).await;
    // Others see what was done, and the missing steps are known.
    assert_eq!(number(&db, "SELECT CAST(sum(twice) AS bigint) FROM sample").await, 4000);
    let missing = vec!["m9999_growing".to_owned()];
    assert_eq!(look_for(&db, &steps, VERSION).await.unwrap(), Tables::Behind(missing));
    assert_eq!(run(&db, &steps).await.unwrap(), 1);
    assert_eq!(number(&db, "SELECT CAST(sum(twice) AS bigint) FROM sample").await, 2 * ROWS);
    assert_eq!(number(&db, "SELECT count(*) FROM sample WHERE twice <> 2").await, 0);
    assert_eq!(look_for(&db, &steps, VERSION).await.unwrap(), Tables::Current);
    assert_eq!(run(&db, &steps).await.unwrap(), 0);
    assert_eq!(number(&db, "SELECT CAST(sum(twice) AS bigint) FROM sample").await, 2 * ROWS);
}

/// On PostgreSQL, a failed or interrupted attempt leaves an index that is never read.
async fn an_index_is_made_again_after_a_failure(database: TestDatabase) {
    let db = with_sample(&database).await;
    let steps = || with(Step::expand("m9999_unique").index(index("sample", &["n"]).unique().take()));
    let error = run(&db, &steps()).await.unwrap_err().to_string();
    assert!(error.starts_with("the step m9999_unique failed: "), "{error}");
    assert!(error.to_lowercase().contains("unique"), "it says why: {error}");
    let distinct = match db.get_database_backend() {
        DbBackend::Postgres => {
            let left = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";
            assert_eq!(number(&db, left).await, 1);
            "UPDATE sample SET n = row.at FROM \
             (SELECT id, CAST(row_number() OVER () AS integer) AS at FROM sample) AS row WHERE row.id = sample.id"
        }
        _ => "UPDATE sample SET n = rowid",
    };
    db.execute_unprepared(distinct).await.unwrap();
    assert_eq!(run(&db, &steps()).await.unwrap(), 1);
    let twice = "INSERT INTO sample SELECT * FROM sample LIMIT 1";
    assert!(db.execute_unprepared(twice).await.is_err());
    if db.get_database_backend() == DbBackend::Postgres {
        assert_eq!(number(&db, "SELECT count(*) FROM pg_index WHERE NOT indisvalid").await, 0);
    }
}

async fn a_contraction_keeps_older_versions_out(database: TestDatabase) {
    let db = with_sample(&database).await;
    let steps = with(Step::contract("m9999_less", "0.9.0").drop_index("job_by_queue_run_at"));
    let run = Run { db: &db, steps: &steps, version: "0.9.1", report: &|_| {} };
    assert_eq!(run.run().await.unwrap(), 1);
    assert_eq!(look_for(&db, &steps, "0.9.1").await.unwrap(), Tables::Current);
    // Versions that do not know the step compare themselves with the oldest version that it names.
    assert_eq!(look_for(&db, &super::steps(), "0.9.0").await.unwrap(), Tables::Current);
    let refused = look_for(&db, &super::steps(), "0.8.9").await;
    assert!(matches!(refused, Err(CatalogError::Schema(SchemaError::Newer { .. }))), "{refused:?}");
    // Versions without `schema_step` refuse unknown names among the first steps.
    let among_first = "SELECT count(*) FROM seaql_migrations WHERE version = 'm9999_less'";
    assert_eq!(number(&db, among_first).await, 1);
}

async fn an_empty_database_gets_everything_at_once(database: TestDatabase) {
    if let Some(path) = database.url.strip_prefix("sqlite://") {
        std::fs::File::create(path).unwrap();
    }
    let db = alone(&database).await;
    assert_eq!(look_for(&db, &super::steps(), VERSION).await.unwrap(), Tables::Empty);
    let step = Step::expand("m9999_backwards").backfill("nowhere", "UPDATE nowhere SET a = 1 WHERE {batch}");
    let error = run(&db, &with(step)).await.unwrap_err().to_string();
    assert!(error.starts_with("the step m9999_backwards failed: "), "{error}");
    // A failed setup leaves nothing, so that the next start does not take it for an upgrade.
    assert_eq!(look_for(&db, &super::steps(), VERSION).await.unwrap(), Tables::Empty);
    run(&db, &super::steps()).await.unwrap();
    assert_eq!(look_for(&db, &super::steps(), VERSION).await.unwrap(), Tables::Current);
}
