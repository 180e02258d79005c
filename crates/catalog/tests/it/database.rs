//! How a test reaches its catalog.

use sea_orm::{Database, DatabaseConnection};
use tonearm_catalog::{Catalog, ConnectOptions, DatabaseUrl, Migrate};
pub(crate) use tonearm_fixtures::TestDatabase;

pub(crate) trait Reach {
    fn database_url(&self) -> DatabaseUrl;

    /// A catalog with its own connections, as a process would have.
    async fn catalog(&self) -> Catalog;

    /// The same, on a database of an earlier version.
    async fn upgraded(&self) -> Catalog;

    /// A connection past the catalog, to see or spoil what is stored.
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
