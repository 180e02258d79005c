//! The connection limit of the database server, and the connection pools of a node.

use sea_orm::sqlx::{Database, Pool};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::catalog::Catalog;
use crate::connect_options::Backend;
use crate::error::CatalogError;

/// The connection limit without the connections reserved for administrators. `reserved_connections` exists since
/// PostgreSQL 16.
const MOST_CONNECTIONS: &str = "SELECT CAST(current_setting('max_connections') AS integer) \
     - CAST(current_setting('superuser_reserved_connections') AS integer) \
     - COALESCE(CAST(current_setting('reserved_connections', true) AS integer), 0) AS most";

/// The use of one connection pool of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolUse {
    /// The name of the pool: `shared` on PostgreSQL, `readers` or `writer` on SQLite.
    pub name: &'static str,
    /// Connections in use.
    pub in_use: u32,
    /// Idle connections.
    pub idle: u32,
    /// The maximum number of connections.
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
    /// The current use of this node's connection pools.
    pub fn pools(&self) -> Vec<PoolUse> {
        match self.backend() {
            Backend::Postgres => {
                vec![PoolUse::of("shared", self.reader().pool.get_postgres_connection_pool())]
            }
            Backend::Sqlite => vec![
                PoolUse::of("readers", self.reader().pool.get_sqlite_connection_pool()),
                PoolUse::of("writer", self.writer().pool.get_sqlite_connection_pool()),
            ],
        }
    }

    /// The maximum number of connections that the database server accepts from all nodes together; `None` on SQLite.
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
