//! Whether the tables of a database are those that this version needs, and bringing them up to date.

use std::time::Duration;

use sea_orm::DatabaseConnection;

use crate::catalog::Catalog;
use crate::connect_options::{ConnectOptions, Migrate};
use crate::error::{CatalogError, SchemaError};
use crate::migration::{MigrationEvent, MigrationReport, Tables, look};
use crate::url::{DatabaseLocation, DatabaseUrl};
use crate::{postgres, sqlite};

/// How often somebody looks whether another process is done.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl Catalog {
    /// Brings the tables up to date, and makes those of an empty database. Gives how many steps were applied. One process at
    /// a time: another waits, for `options.migration_wait` at most. It can be interrupted at any point; what was done stays
    /// done, and the next one goes on from there.
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

    /// The steps that are missing; changes nothing. An empty database is [`SchemaError::Empty`].
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

/// Whether something has to be done to the tables before they are used, and may be.
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

/// Waits until `taking` has taken what another process holds, for a while at most.
pub(crate) async fn within(
    most: Duration,
    taking: impl Future<Output = Result<(), CatalogError>>,
) -> Result<(), CatalogError> {
    tokio::time::timeout(most, taking).await.unwrap_or_else(|_| Err(SchemaError::Busy.into()))
}

/// The pauses between looks whether another process is done, of which the first is reported.
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

/// Tells the log what a migration is doing.
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
