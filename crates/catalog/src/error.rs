//! What can go wrong, as far as callers can do something about it.

use std::error::Error;

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr, SqlErr};

/// Why the catalog did not do what it was asked. The texts are sentences and never hold SQL; what the database
/// itself said is behind [`Error::source`].
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// What is already there, or what is no longer there, stands against it.
    #[error("{0}")]
    Conflict(&'static str),
    /// The database cannot be reached, is locked by somebody else or ran out of time or room: the same may work
    /// later.
    #[error("the database is not available")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// A row holds something that this version does not understand.
    #[error("{0}")]
    Corrupt(String),
    /// Anything else, which is a mistake in Tonearm or in how the database was set up.
    #[error("the database refused a request")]
    Other(#[source] Box<dyn Error + Send + Sync>),
}

impl CatalogError {
    /// Says what a duplicate means where only one unique rule can be broken.
    pub(crate) fn or_duplicate(sentence: &'static str) -> impl FnOnce(DbErr) -> Self {
        move |error| match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Conflict(sentence),
            _ => error.into(),
        }
    }
}

impl From<DbErr> for CatalogError {
    fn from(error: DbErr) -> Self {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Conflict("this already exists"),
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => {
                Self::Conflict("something that this refers to does not exist")
            }
            _ if is_temporary(&error) => Self::Unavailable(error.into()),
            _ => match error {
                DbErr::Type(_) | DbErr::Json(_) | DbErr::TryIntoErr { .. } => {
                    Self::Corrupt("a row of the database holds a value of another type".to_owned())
                }
                other => Self::Other(other.into()),
            },
        }
    }
}

impl From<sqlx::Error> for CatalogError {
    fn from(error: sqlx::Error) -> Self {
        if is_temporary_in_driver(&error) {
            Self::Unavailable(error.into())
        } else {
            Self::Other(error.into())
        }
    }
}

fn is_temporary(error: &DbErr) -> bool {
    match error {
        DbErr::ConnectionAcquire(_) => true,
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => is_temporary_in_driver(error),
        _ => false,
    }
}

fn is_temporary_in_driver(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        | sqlx::Error::PoolTimedOut
        | sqlx::Error::PoolClosed
        | sqlx::Error::WorkerCrashed => true,
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            if error.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() {
                is_temporary_in_sqlite(&code)
            } else {
                is_temporary_in_postgres(&code)
            }
        }
        _ => false,
    }
}

/// The low byte of SQLite's extended code: busy, locked, I/O error, disk full, cannot open.
fn is_temporary_in_sqlite(code: &str) -> bool {
    code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 10 | 13 | 14))
}

/// PostgreSQL's SQLSTATE: connections (08), log-ins (28), a database that is gone (3D000), resources (53),
/// operators and time-outs (57), a server in recovery (25006), locks (55P03), and transactions that only need to be
/// run again (40). A node that could start had a database and was let in, so it may be again.
fn is_temporary_in_postgres(state: &str) -> bool {
    ["08", "28", "53", "57", "40"].iter().any(|class| state.starts_with(class))
        || matches!(state, "25006" | "3D000" | "55P03")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_pass_are_told_from_those_that_do_not() {
        for code in ["5", "517", "261", "6", "13", "14"] {
            assert!(is_temporary_in_sqlite(code), "{code}");
        }
        for code in ["1", "11", "19", "2067", ""] {
            assert!(!is_temporary_in_sqlite(code), "{code}");
        }
        for state in ["08006", "28000", "3D000", "53300", "57P01", "40001", "40P01", "55P03", "25006"] {
            assert!(is_temporary_in_postgres(state), "{state}");
        }
        for state in ["23505", "42601", "22021", "25P02", ""] {
            assert!(!is_temporary_in_postgres(state), "{state}");
        }
    }
}
