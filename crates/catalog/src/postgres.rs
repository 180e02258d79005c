//! Opening a PostgreSQL database.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::{self, AssertSqlSafe, ConnectOptions as _, Connection, Executor};
use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, SqlxPostgresConnector, Statement};

use crate::connect_options::ConnectOptions;
use crate::error::CatalogError;
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

pub(crate) async fn open(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<DatabaseConnection, CatalogError> {
    let connection = pool(server, options).await?;
    if is_migration_needed(&connection, options.migrate).await? {
        migrate_alone(server, options, &log_migration).await?;
    }
    Ok(connection)
}

async fn pool(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<DatabaseConnection, CatalogError> {
    let millis = options.statement_timeout.as_millis().clamp(1, i32::MAX as u128);
    let limits: Arc<str> =
        format!("SET statement_timeout = {millis}; SET idle_in_transaction_session_timeout = {millis}")
            .into();
    let pool = PgPoolOptions::new()
        .max_connections(options.max_connections.max(1))
        .acquire_timeout(options.acquire_timeout)
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let limits = Arc::clone(&limits);
            Box::pin(async move {
                connection.execute(AssertSqlSafe(&*limits)).await?;
                Ok(())
            })
        })
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for > TRUSTED_FOR {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_with(named(server))
        .await?;
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
    let was_connected = Arc::new(AtomicBool::new(false));
    let pool = PgPoolOptions::new()
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
                let limits = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0";
                connection.execute(limits).await?;
                Ok(())
            })
        })
        .connect_with(named(server))
        .await?;
    Ok(SqlxPostgresConnector::from_sqlx_postgres_pool(pool))
}

/// Looks at the tables of a database without changing it.
pub(crate) async fn tables(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<Tables, CatalogError> {
    let connection = pool(server, &ConnectOptions { max_connections: 1, ..options.clone() }).await?;
    let tables = look(&connection).await;
    connection.close().await?;
    tables
}
