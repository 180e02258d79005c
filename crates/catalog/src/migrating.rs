//! Checking whether the tables of a database are those that this version needs, and bringing them up to date.

use std::time::Duration;

use sea_orm::DatabaseConnection;

use crate::catalog::Catalog;
use crate::connect_options::{ConnectOptions, Migrate};
use crate::error::{CatalogError, SchemaError};
use crate::migration::{MigrationEvent, MigrationReport, Tables, look};
use crate::url::{DatabaseLocation, DatabaseUrl};
use crate::{postgres, sqlite};

/// The interval at which a waiting process polls whether the migrating process is done.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Catalog {
    /// Brings the tables up to date, or creates them in an empty database. Returns the number of steps applied. Only
    /// one process migrates at a time; others wait for at most `options.migration_wait`. A migration can be interrupted
    /// at any point: completed work is kept, and the next migration continues from there.
    pub async fn migrate(
        url: &DatabaseUrl,
        options: &ConnectOptions,
        report: MigrationReport<'_>,
    ) -> Result<usize, CatalogError> {
        match &url.0 {
            DatabaseLocation::Sqlite(path) => sqlite::migrate_alone(path, options, report).await,
            DatabaseLocation::Postgres(server) => postgres::migrate_alone(server, options, report).await,
        }
    }

    /// The missing steps. Changes nothing. An empty database is the error [`SchemaError::Empty`].
    pub async fn missing_steps(
        url: &DatabaseUrl,
        options: &ConnectOptions,
    ) -> Result<Vec<String>, CatalogError> {
        let tables = match &url.0 {
            DatabaseLocation::Sqlite(path) => sqlite::tables(path).await?,
            DatabaseLocation::Postgres(server) => postgres::tables(server, options).await?,
        };
        match tables {
            Tables::Empty => Err(SchemaError::Empty.into()),
            Tables::Behind(missing) => Ok(missing),
            Tables::Current => Ok(Vec::new()),
        }
    }
}

/// Whether the tables must be migrated before they are used. An error if they must be but `migrate` does not allow it.
pub(crate) async fn is_migration_needed(
    db: &DatabaseConnection,
    migrate: Migrate,
) -> Result<bool, CatalogError> {
    match (look(db).await?, migrate) {
        (Tables::Current, _) => Ok(false),
        (_, Migrate::Always) | (Tables::Empty, Migrate::IfEmpty) => Ok(true),
        (Tables::Empty, Migrate::Never) => Err(SchemaError::Empty.into()),
        (Tables::Behind(_), _) => Err(SchemaError::Behind.into()),
    }
}

/// Waits until `taking` has taken the lock that another process holds, for at most `most`.
pub(crate) async fn within(
    most: Duration,
    taking: impl Future<Output = Result<(), CatalogError>>,
) -> Result<(), CatalogError> {
    tokio::time::timeout(most, taking).await.unwrap_or_else(|_| Err(SchemaError::Busy.into()))
}

/// The pauses between polls of whether the migrating process is done. The first pause is reported.
pub(crate) struct Pauses<'a> {
    report: MigrationReport<'a>,
    is_told: bool,
}

impl<'a> Pauses<'a> {
    pub(crate) fn new(report: MigrationReport<'a>) -> Self {
        Self { report, is_told: false }
    }

    pub(crate) async fn pause(&mut self) {
        if !self.is_told {
            (self.report)(MigrationEvent::Waiting);
            self.is_told = true;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Logs the progress of a migration.
pub(crate) fn log_migration(event: MigrationEvent<'_>) {
    match event {
        MigrationEvent::Waiting => tracing::info!("another process is migrating the database; waiting"),
        MigrationEvent::SettingUp => tracing::info!("the database is empty; creating its tables"),
        MigrationEvent::Step { name } => tracing::info!(step = name, "migrating the database"),
        MigrationEvent::Index { name } => tracing::info!(index = name, "creating an index"),
        MigrationEvent::Rows { table, done } => tracing::debug!(table, done, "migrating rows"),
        MigrationEvent::Blocked { name } => {
            tracing::warn!(step = name, "could not lock a table because it is in use; trying again");
        }
    }
}
