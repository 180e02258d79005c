//! The outcome of a commit that was not confirmed.

use std::time::Duration;

use sea_orm::sqlx;
use sea_orm::sqlx::postgres::{PgDatabaseError, PgSeverity};
use sea_orm::sqlx::sqlite::SqliteError;
use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, RuntimeErr, Statement};

use crate::error::CatalogError;

/// How long PostgreSQL may take to respond to a commit, and then to report its outcome.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The pause between two look-ups.
const PAUSE: Duration = Duration::from_millis(100);

/// SQLite's code for a failed read, write or flush.
const SQLITE_IOERR: u32 = 10;

/// Whether a commit that failed may still have taken effect.
///
/// An error that the database reports for an open transaction rolls it back. A broken connection leaves the outcome
/// unknown, and so does an error that ends the connection: PostgreSQL may have committed before it was told to stop.
/// After a failed flush SQLite has rolled back, but a crash before the next commit can bring the transaction back from
/// the write-ahead log.
pub(crate) fn is_unknown(error: &DbErr) -> bool {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => is_unknown_in_driver(error),
        // Refused before the commit was sent.
        DbErr::Custom(_) | DbErr::ConnectionAcquire(_) => false,
        _ => true,
    }
}

fn is_unknown_in_driver(error: &sqlx::Error) -> bool {
    let sqlx::Error::Database(error) = error else {
        return true;
    };
    if let Some(error) = error.try_downcast_ref::<PgDatabaseError>() {
        return matches!(error.severity(), PgSeverity::Fatal | PgSeverity::Panic);
    }
    match error.try_downcast_ref::<SqliteError>() {
        Some(_) => {
            let code = error.code().unwrap_or_default();
            code.parse::<u32>().is_ok_and(|code| code & 0xFF == SQLITE_IOERR)
        }
        None => true,
    }
}

/// Looks up the outcome of a transaction in PostgreSQL, on another connection. Gives up after [`DEADLINE`].
pub(crate) async fn look_up(
    database: &DatabaseConnection,
    id: Option<&String>,
    lost: DbErr,
) -> Result<(), CatalogError> {
    let Some(id) = id else {
        return Err(CatalogError::UnknownOutcome(lost.into()));
    };
    match tokio::time::timeout(DEADLINE, settled(database, id)).await {
        Ok(Some(true)) => Ok(()),
        Ok(Some(false)) => Err(CatalogError::Unavailable(lost.into())),
        Ok(None) | Err(_) => Err(CatalogError::UnknownOutcome(lost.into())),
    }
}

/// Waits until the transaction has ended and returns whether it was committed; `None` if PostgreSQL does not know (any
/// more).
async fn settled(database: &DatabaseConnection, id: &str) -> Option<bool> {
    loop {
        match status(database, id).await {
            Ok(Some(status)) if status == "committed" => return Some(true),
            Ok(Some(status)) if status == "aborted" => return Some(false),
            // The server has not noticed yet that the client of the transaction is gone.
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(error) => tracing::debug!(%error, "could not look up the outcome of a transaction"),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn status(database: &DatabaseConnection, id: &str) -> Result<Option<String>, DbErr> {
    let backend = database.get_database_backend();
    let ask = Statement::from_sql_and_values(backend, "SELECT pg_xact_status($1::text::xid8)", [id.into()]);
    match database.query_one_raw(ask).await? {
        Some(row) => row.try_get_by_index(0),
        None => Ok(None),
    }
}
