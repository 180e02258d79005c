//! Opening a PostgreSQL database.

use std::sync::Arc;
use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::{AssertSqlSafe, ConnectOptions as _, Connection, Executor};
use sea_orm::{ConnectionTrait, DatabaseConnection, SqlxPostgresConnector, TransactionTrait};

use crate::{CatalogError, ConnectOptions, migration};

/// A connection that was used within this time is taken to be alive: asking it first would double the round
/// trips of a busy server.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// The advisory lock that whoever changes the tables holds. The number means nothing but must never change.
const MIGRATION_LOCK: i64 = 0x746F_6E65_6172_6D01;

pub(crate) async fn open(
    server: &PgConnectOptions,
    options: &ConnectOptions,
) -> Result<DatabaseConnection, CatalogError> {
    let server = server.clone().application_name("tonearm").disable_statement_logging();
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
        .connect_with(server)
        .await?;
    let connection = SqlxPostgresConnector::from_sqlx_postgres_pool(pool);
    migrate(&connection).await?;
    Ok(connection)
}

async fn migrate(connection: &DatabaseConnection) -> Result<(), CatalogError> {
    let transaction = connection.begin().await?;
    // A change of a large table takes its time, and so does waiting for the node that makes it.
    transaction
        .execute_unprepared(
            "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0",
        )
        .await?;
    transaction.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
    migration::run(&transaction).await?;
    Ok(transaction.commit().await?)
}
