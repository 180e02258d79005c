//! How many connections a database server has room for.

use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::catalog::Catalog;
use crate::error::CatalogError;

/// Without those that are reserved for administrators. The second kind of these exists since PostgreSQL 16.
const MOST_CONNECTIONS: &str = "SELECT CAST(current_setting('max_connections') AS integer) \
     - CAST(current_setting('superuser_reserved_connections') AS integer) \
     - COALESCE(CAST(current_setting('reserved_connections', true) AS integer), 0) AS most";

impl Catalog {
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
