//! An empty database that is to be filled from a backup.

use std::fs::File;

use sea_orm::{DatabaseConnection, EntityTrait, TransactionTrait};
use tonearm_domain::StoreId;

use super::error::RestoreError;
use super::loading::{Loading, first_with_rows};
use super::{schema, unfinished};
use crate::catalog::write_transaction;
use crate::connect_options::ConnectOptions;
use crate::entity::store;
use crate::error::CatalogError;
use crate::migration::{self, MigrationReport};
use crate::query::one;
use crate::store::StoreRecord;
use crate::url::{DatabaseLocation, DatabaseUrl};
use crate::{postgres, sqlite};

/// A database that no other process migrates at the same time.
pub struct Restoring {
    db: DatabaseConnection,
    _lock: Option<File>,
}

impl Restoring {
    /// Opens a database, and creates the file of an SQLite database. Waits while another process migrates it.
    pub async fn open(
        url: &DatabaseUrl,
        options: &ConnectOptions,
        report: MigrationReport<'_>,
    ) -> Result<Self, CatalogError> {
        Ok(match &url.0 {
            DatabaseLocation::Sqlite(path) => {
                let (db, lock) = sqlite::open_alone(path, options, report).await?;
                Self { db, _lock: Some(lock) }
            }
            DatabaseLocation::Postgres(server) => {
                Self { db: postgres::open_alone(server, options, report).await?, _lock: None }
            }
        })
    }

    /// Fails if any table has rows. Nothing is changed: the tables may be those of a service in use.
    pub async fn require_empty(&self) -> Result<(), RestoreError> {
        let tx = self.db.begin().await.map_err(CatalogError::from)?;
        let tables = schema::read(&tx).await?;
        let filled = first_with_rows(&tx, &tables).await?;
        tx.rollback().await.map_err(CatalogError::from)?;
        match filled {
            Some(table) => Err(RestoreError::NotEmpty { table }),
            None => Ok(()),
        }
    }

    /// Creates the tables by applying these migration steps. Tables that already exist must have been created by
    /// exactly these steps, as after an interrupted restore.
    pub async fn prepare(&self, steps: &[String], report: MigrationReport<'_>) -> Result<(), RestoreError> {
        if let Some(step) = migration::unknown_step(steps) {
            return Err(RestoreError::Newer { step: step.to_owned() });
        }
        migration::run_only(&self.db, steps, report).await?;
        let tx = self.db.begin().await.map_err(CatalogError::from)?;
        let mut applied = migration::applied_steps(&tx).await?;
        tx.rollback().await.map_err(CatalogError::from)?;
        let mut steps = steps.to_vec();
        applied.sort_unstable();
        steps.sort_unstable();
        if applied == steps { Ok(()) } else { Err(RestoreError::OtherVersion) }
    }

    /// The backup whose rows were loaded by a restore that was interrupted before it linked the store.
    pub async fn unfinished(&self) -> Result<Option<String>, CatalogError> {
        Ok(unfinished::read(&self.db).await?)
    }

    /// The identity of the store that the database belongs to, if a node was started with it before.
    pub async fn store(&self) -> Result<Option<StoreId>, CatalogError> {
        let record: Option<StoreRecord> = one(&self.db, store::Entity::find_by_id(store::ONLY)).await?;
        Ok(record.map(|record| record.id))
    }

    /// Begins the transaction that fills the tables.
    pub async fn begin(&self) -> Result<Loading, RestoreError> {
        let tx = self.db.begin_with_options(write_transaction()).await.map_err(CatalogError::from)?;
        Loading::begin(tx).await
    }

    /// Brings the tables up to date with this version and closes the database. Returns the number of applied steps.
    pub async fn finish(self, report: MigrationReport<'_>) -> Result<usize, CatalogError> {
        let count = migration::run(&self.db, report).await;
        self.db.close().await?;
        count
    }
}
