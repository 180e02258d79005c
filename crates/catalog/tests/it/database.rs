//! Connections of tests to the catalog.

use sea_orm::{Database, DatabaseConnection};
use tonearm_catalog::{Catalog, ConnectOptions, DatabaseUrl, Migrate};
pub(crate) use tonearm_fixtures::TestDatabase;

pub(crate) trait Reach {
    fn database_url(&self) -> DatabaseUrl;

    /// A catalog with connections of its own, like that of another process.
    async fn catalog(&self) -> Catalog;

    /// Like [`Self::catalog`], on a database of an earlier version.
    async fn upgraded(&self) -> Catalog;

    /// A direct connection, to inspect or corrupt stored data.
    async fn raw(&self) -> DatabaseConnection;
}

impl Reach for TestDatabase {
    fn database_url(&self) -> DatabaseUrl {
        self.url.parse().unwrap()
    }

    async fn catalog(&self) -> Catalog {
        Catalog::connect(&self.database_url(), ConnectOptions::default()).await.unwrap()
    }

    async fn upgraded(&self) -> Catalog {
        let options = ConnectOptions { migrate: Migrate::Always, ..ConnectOptions::default() };
        Catalog::connect(&self.database_url(), options).await.unwrap()
    }

    async fn raw(&self) -> DatabaseConnection {
        Database::connect(&self.url).await.unwrap()
    }
}
