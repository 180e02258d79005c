//! Where a test's database is.

use sea_orm::{Database, DatabaseConnection};
use tempfile::TempDir;
use tonearm_catalog::{Catalog, ConnectOptions, DatabaseUrl};
use tonearm_fixtures::{Postgres, TestDatabase, sqlite_url};

/// A database of the test's own, removed when dropped.
pub(crate) struct Place {
    pub(crate) url: String,
    _folder: Option<TempDir>,
    _database: Option<TestDatabase>,
}

impl Place {
    pub(crate) fn sqlite() -> Self {
        let (folder, url) = sqlite_url();
        Self { url, _folder: Some(folder), _database: None }
    }

    pub(crate) async fn postgres() -> Self {
        let database = Postgres::database().await;
        Self { url: database.url.clone(), _folder: None, _database: Some(database) }
    }

    pub(crate) fn database_url(&self) -> DatabaseUrl {
        self.url.parse().unwrap()
    }

    /// A catalog with its own connections, as a process would have.
    pub(crate) async fn catalog(&self) -> Catalog {
        Catalog::connect(&self.database_url(), ConnectOptions::default()).await.unwrap()
    }

    /// A connection past the catalog, to see or spoil what is stored.
    pub(crate) async fn raw(&self) -> DatabaseConnection {
        Database::connect(&self.url).await.unwrap()
    }
}
