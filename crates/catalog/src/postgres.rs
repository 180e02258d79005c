//! Opening a PostgreSQL database.

use std::time::Duration;

use sea_orm::sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sea_orm::sqlx::{ConnectOptions as _, Connection};
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
    let pool = PgPoolOptions::new()
        .max_connections(options.max_connections.max(1))
        .acquire_timeout(options.acquire_timeout)
        .test_before_acquire(false)
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
    transaction.execute_unprepared(&format!("SELECT pg_advisory_xact_lock({MIGRATION_LOCK})")).await?;
    migration::run(&transaction).await?;
    Ok(transaction.commit().await?)
}
