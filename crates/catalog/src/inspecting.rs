//! Settings and state of the database, for diagnosing problems.

use sea_orm::{ConnectionTrait, DbBackend, QueryResult, Statement};
use tonearm_domain::Timestamp;

use crate::catalog::Catalog;
use crate::column::moment;
use crate::error::CatalogError;
use crate::postgres::RELIED_ON;

/// `reset_val` is what the server would use if this service did not set it in its sessions.
const SERVER_SETTINGS: &str = "SELECT current_setting('server_version') AS version, \
     CAST(current_setting('server_version_num') AS integer) AS number, \
     current_setting('server_encoding') AS encoding, \
     (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit') AS synchronous_commit, \
     current_setting('fsync') AS fsync, \
     current_setting('TimeZone') AS time_zone";

/// The settings that the code relies on and that the administrator set otherwise.
fn overridden() -> String {
    let names = RELIED_ON.iter().map(|(name, _)| format!("'{name}'")).collect::<Vec<_>>().join(", ");
    format!(
        "SELECT string_agg(name || ' = ' || reset_val, ', ' ORDER BY name) AS overridden \
         FROM pg_settings WHERE name IN ({names}) AND setting <> reset_val"
    )
}

const SERVER_TIME: &str =
    "SELECT CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT) AS present";

/// The settings of a PostgreSQL server for connections of this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerSettings {
    /// The version, as the server reports it.
    pub version: String,
    /// The major version, such as 15.
    pub major: u32,
    /// The encoding of text, such as `UTF8`.
    pub encoding: String,
    /// What a commit waits for, such as `on`. In sessions of this service, `off` is replaced by `on`.
    pub synchronous_commit: String,
    /// Settings of the server that this service replaces in its own sessions, such as
    /// `default_transaction_isolation = serializable`; `None` if there are none.
    pub overridden: Option<String>,
    /// Whether writes are flushed to disk (`fsync`).
    pub is_flushed: bool,
    /// The time zone that the server uses in text.
    pub time_zone: String,
}

impl Catalog {
    /// The settings of the server; `None` on SQLite.
    pub async fn server_settings(&self) -> Result<Option<ServerSettings>, CatalogError> {
        let Some(row) = self.ask_server(SERVER_SETTINGS).await? else { return Ok(None) };
        let overridden = self.ask_server(&overridden()).await?;
        let overridden = overridden.map(|row| row.try_get("", "overridden")).transpose()?.flatten();
        let number: i32 = row.try_get("", "number")?;
        let fsync: String = row.try_get("", "fsync")?;
        Ok(Some(ServerSettings {
            version: row.try_get("", "version")?,
            major: u32::try_from(number / 10_000).unwrap_or(0),
            encoding: row.try_get("", "encoding")?,
            synchronous_commit: row.try_get("", "synchronous_commit")?,
            overridden,
            is_flushed: fsync == "on",
            time_zone: row.try_get("", "time_zone")?,
        }))
    }

    /// The current time of the server's clock; `None` on SQLite.
    pub async fn server_time(&self) -> Result<Option<Timestamp>, CatalogError> {
        let row = self.ask_server(SERVER_TIME).await?;
        row.map(|row| moment("clock_timestamp", row.try_get("", "present")?)).transpose()
    }

    /// The journal mode of the file, such as `wal`; `None` on PostgreSQL.
    pub async fn journal_mode(&self) -> Result<Option<String>, CatalogError> {
        self.ask_file("PRAGMA journal_mode", "journal_mode").await
    }

    /// The first corruption that SQLite finds in the file, or `ok`; `None` on PostgreSQL. This reads the whole file.
    pub async fn quick_check(&self) -> Result<Option<String>, CatalogError> {
        self.ask_file("PRAGMA quick_check(1)", "quick_check").await
    }

    async fn ask_server(&self, question: &str) -> Result<Option<QueryResult>, CatalogError> {
        let db = self.reader();
        if db.get_database_backend() != DbBackend::Postgres {
            return Ok(None);
        }
        Ok(db.query_one_raw(Statement::from_string(DbBackend::Postgres, question)).await?)
    }

    async fn ask_file(&self, question: &str, column: &str) -> Result<Option<String>, CatalogError> {
        let db = self.reader();
        if db.get_database_backend() != DbBackend::Sqlite {
            return Ok(None);
        }
        let row = db.query_one_raw(Statement::from_string(DbBackend::Sqlite, question)).await?;
        Ok(row.map(|row| row.try_get("", column)).transpose()?)
    }
}
