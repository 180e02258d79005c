//! How many connections a database server has room for, and how many a node has.

use sea_orm::sqlx::{Database, Pool};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::catalog::Catalog;
use crate::connect_options::Backend;
use crate::error::CatalogError;

/// Without those that are reserved for administrators. The second kind of these exists since PostgreSQL 16.
const MOST_CONNECTIONS: &str = "SELECT CAST(current_setting('max_connections') AS integer) \
     - CAST(current_setting('superuser_reserved_connections') AS integer) \
     - COALESCE(CAST(current_setting('reserved_connections', true) AS integer), 0) AS most";

/// The connections of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// What they are for: `shared`; on SQLite `readers`, and `writer`.
    pub name: &'static str,
    /// Those that do something.
    pub in_use: u32,
    /// Those that wait for something to do.
    pub idle: u32,
    /// How many there may be.
    pub most: u32,
}

impl PoolUse {
    fn of<D: Database>(name: &'static str, pool: &Pool<D>) -> Self {
        // The two are not read at the same moment.
        let size = pool.size();
        let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX).min(size);
        let most = pool.options().get_max_connections();
        Self { name, in_use: size - idle, idle, most }
    }
}

impl Catalog {
    /// How the connections of this node are used at the moment.
    pub fn pools(&self) -> Vec<PoolUse> {
        match self.backend() {
            Backend::Postgres => vec![PoolUse::of("shared", self.reader().get_postgres_connection_pool())],
            Backend::Sqlite => vec![
                PoolUse::of("readers", self.reader().get_sqlite_connection_pool()),
                PoolUse::of("writer", self.writer().0.get_sqlite_connection_pool()),
            ],
        }
    }

    /// Most connections that the database server takes, of all nodes together; none where there is no server.
    pub async fn most_connections(&self) -> Result<Option<u32>, CatalogError> {
        let db = self.reader();
        if db.get_database_backend() != DbBackend::Postgres {
            return Ok(None);
        }
        let row = db.query_one_raw(Statement::from_string(DbBackend::Postgres, MOST_CONNECTIONS)).await?;
        let most: Option<i32> = row.map(|row| row.try_get("", "most")).transpose()?;
        Ok(most.and_then(|most| u32::try_from(most).ok()))
    }
}
