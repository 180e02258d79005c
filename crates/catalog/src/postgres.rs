//! Opening a PostgreSQL database.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions as _, Connection, Executor, Row};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, SqlxPostgresConnector, Statement};
use tokio::time::{Instant, timeout_at};
use tonearm_domain::innermost_cause;

use crate::connect_options::ConnectOptions;
use crate::error::{CatalogError, is_of_read_only_server};
use crate::migrating::{Pauses, is_migration_needed, log_migration, within};
use crate::migration;
use crate::migration::{MigrationReport, Tables, look};

/// A connection that was used within this time is assumed to be alive. Testing it first would double the round trips of
/// a busy server.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// The advisory lock that is held by the session that changes the tables. The number has no meaning but must never
/// change. Versions that know only the first steps do not wait for this lock: they can start while a large step is
/// applied.
const MIGRATION_LOCK: i64 = 0x746F_6E65_6172_6D02;

/// Settings that the code relies on, whatever the administrator of the server chose for other clients:
/// each statement sees what was committed before it, statements wait for locks until their timeout, no transaction ends
/// halfway, backslashes in SQL are backslashes, and searches find everything.
pub(crate) const RELIED_ON: [(&str, &str); 5] = [
    ("default_transaction_isolation", "read committed"),
    ("lock_timeout", "0"),
    ("transaction_timeout", "0"),
    ("standard_conforming_strings", "on"),
    ("gin_fuzzy_search_limit", "0"),
];

/// How long a connection may take to open before this is logged.
const PATIENCE: Duration = Duration::from_secs(3);

/// Connections that have to be tested before their next use, because one of them was to a server that takes no writes:
/// after a failover, the others probably are, too.
#[derive(Debug, Clone, Default)]
pub(crate) struct Suspects {
    left: Arc<AtomicU32>,
    /// How many connections the pool has at most.
    all: u32,
}

impl Suspects {
    /// Looks at the result of a statement.
    pub(crate) fn look_at<T>(&self, result: &Result<T, DbErr>) {
        if result.as_ref().is_err_and(is_of_read_only_server) {
            self.left.store(self.all, Ordering::Release);
        }
    }

    /// Whether the connection that is taken from the pool next has to be tested. The pool gives out its connections in
    /// turn, so all of them are.
    fn take_one(&self) -> bool {
        let taken = self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1));
        taken.is_ok()
    }
}

/// Whether the server takes no writes: it is a standby, or its administrator said so.
pub(crate) async fn is_read_only(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let row = connection.fetch_one("SHOW transaction_read_only").await?;
    Ok(row.try_get::<String, _>(0)? == "on")
}

pub(crate) async fn open(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<(DatabaseConnection, Suspects), CatalogError> {
    let suspects = Suspects { left: Arc::default(), all: options.max_connections.max(1) };
    let connection = pool(server, options, suspects.clone()).await?;
    if is_migration_needed(&connection, options.migrate).await? {
        migrate_alone(server, options, &log_migration).await?;
    }
    Ok((connection, suspects))
}

/// SQL for the settings of a session. Names that this version of the server does not know are left out.
fn settings(timeout_millis: u128) -> String {
    let relied = RELIED_ON.iter().map(|(name, value)| format!("('{name}', '{value}')"));
    let relied = relied.collect::<Vec<_>>().join(", ");
    format!(
        "SET statement_timeout = {timeout_millis}; \
         SET idle_in_transaction_session_timeout = {timeout_millis}; \
         SELECT set_config(name, value, false) FROM (VALUES {relied}) AS relied (name, value) \
         WHERE current_setting(name, true) IS NOT NULL; \
         SELECT set_config('synchronous_commit', 'on', false) \
         WHERE current_setting('synchronous_commit') = 'off'"
    )
}

/// The pause between attempts to reach a server.
const PAUSE: Duration = Duration::from_millis(500);

/// Waits for a server that starts, or has no free connection, and says so. A pool would not say why it waits.
async fn reach(server: &PgConnectOptions, most: Duration) -> Result<(), CatalogError> {
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        let failed = match patiently(timeout_at(begun + most, PgConnection::connect_with(server))).await {
            Ok(Ok(connection)) => return Ok(connection.close().await?),
            Ok(Err(failed)) => failed,
            Err(_) => return Err(CatalogError::Unavailable("the server does not respond".into())),
        };
        if !is_starting(&failed) || begun.elapsed() + PAUSE >= most {
            return Err(failed.into());
        }
        if !is_told {
            let cause = innermost_cause(&failed).map_or_else(|| failed.to_string(), ToString::to_string);
            tracing::warn!(
                host = server.get_host(),
                port = server.get_port(),
                "waiting for the database: {cause}"
            );
            is_told = true;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether a server that does not accept a connection may do so soon: it is not there yet, starts, or has none left.
fn is_starting(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => matches!(error.code().as_deref(), Some("57P03" | "53300")),
        _ => false,
    }
}

/// Waits for a connection, and logs it if that takes long.
async fn patiently<T>(connecting: impl Future<Output = T>) -> T {
    let mut connecting = std::pin::pin!(connecting);
    match tokio::time::timeout(PATIENCE, &mut connecting).await {
        Ok(connected) => connected,
        Err(_) => {
            tracing::warn!("waiting for a connection to the database: the server does not respond");
            connecting.await
        }
    }
}

async fn pool(
    server: &PgConnectOptions,
    options: &ConnectOptions,
    suspects: Suspects,
) -> Result<DatabaseConnection, CatalogError> {
    reach(&named(server), options.acquire_timeout).await?;
    let millis = options.statement_timeout.as_millis().clamp(1, i32::MAX as u128);
    let settings: Arc<str> = settings(millis).into();
    let connecting = PgPoolOptions::new()
        .max_connections(options.max_connections.max(1))
        .acquire_timeout(options.acquire_timeout)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let settings = Arc::clone(&settings);
            Box::pin(async move {
                connection.execute(AssertSqlSafe(&*settings)).await?;
                Ok(())
            })
        })
        .before_acquire(move |connection, meta| {
            let is_suspect = suspects.take_one() || meta.idle_for > TRUSTED_FOR;
            // A connection to a server that takes no writes is closed. The next one may reach its successor.
            Box::pin(async move { Ok(!(is_suspect && is_read_only(connection).await?)) })
        })
        .connect_with(named(server));
    let pool = Box::pin(connecting).await?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

fn named(server: &PgConnectOptions) -> PgConnectOptions {
    server.clone().application_name("tonearm").disable_statement_logging()
}

/// Brings the tables up to date. Returns how many steps were applied.
pub(crate) async fn migrate_alone(
    server: &PgConnectOptions,
    options: &ConnectOptions,
    report: MigrationReport<'_>,
) -> Result<usize, CatalogError> {
    let session = session(server, options).await?;
    within(options.migration_wait, lock(&session, report)).await?;
    let count = migration::run(&session, report).await;
    // Closing the session releases the lock.
    session.close().await?;
    count
}

/// Opens a single connection that holds the migration lock until it is closed.
pub(crate) async fn open_alone(
    server: &PgConnectOptions,
    options: &ConnectOptions,
    report: MigrationReport<'_>,
) -> Result<DatabaseConnection, CatalogError> {
    let session = session(server, options).await?;
    within(options.migration_wait, lock(&session, report)).await?;
    Ok(session)
}

/// Takes the lock once it is free. The lock is polled and not waited for in the server: a waiting statement keeps its
/// snapshot, and concurrent index creation waits for all snapshots.
async fn lock(session: &DatabaseConnection, report: MigrationReport<'_>) -> Result<(), CatalogError> {
    let ask = format!("SELECT pg_try_advisory_lock({MIGRATION_LOCK}) AS taken");
    let mut pauses = Pauses::new(report);
    loop {
        let row = session.query_one_raw(Statement::from_string(DbBackend::Postgres, ask.clone())).await?;
        if row.map(|row| row.try_get("", "taken")).transpose()?.unwrap_or(false) {
            return Ok(());
        }
        pauses.pause().await;
    }
}

/// Opens a single connection for a migration. It is never replaced by another one, which would not hold the lock.
async fn session(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<DatabaseConnection, CatalogError> {
    reach(&named(server), options.acquire_timeout).await?;
    let was_connected = Arc::new(AtomicBool::new(false));
    let connecting = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(options.acquire_timeout)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let is_another = was_connected.swap(true, Ordering::Relaxed);
            Box::pin(async move {
                if is_another {
                    return Err(sqlx::Error::WorkerCrashed);
                }
                // Changing a large table takes long.
                connection.execute(AssertSqlSafe(settings(0))).await?;
                Ok(())
            })
        })
        .connect_with(named(server));
    let pool = Box::pin(connecting).await?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

/// Looks at the tables of a database without changing it.
pub(crate) async fn tables(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<Tables, CatalogError> {
    let options = ConnectOptions { max_connections: 1, ..options.clone() };
    let connection = pool(server, &options, Suspects::default()).await?;
    let tables = look(&connection).await;
    connection.close().await?;
    tables
}
