//! Errors of the catalog, distinguished as far as callers can handle them differently.

use std::error::Error;
use std::io::ErrorKind;

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr, SqlErr};
use tonearm_domain::{QuotaExceeded, innermost_cause};

use crate::right::EndedRight;

/// The kind of record that is missing or already exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Record {
    /// An organization.
    Organization,
    /// A collection.
    Collection,
    /// A creator.
    Creator,
    /// A track.
    Track,
    /// A variant: the recipe of an organization or of a track.
    Variant,
    /// The index of a variant, which is unique among those that apply to a track.
    VariantIndex,
    /// A file of a track.
    File,
    /// A play session.
    PlaySession,
    /// An upload session.
    UploadSession,
    /// An upload that can be resumed.
    Upload,
    /// An API key.
    ApiKey,
    /// A signing key.
    SigningKey,
    /// A webhook. An organization has at most one of each kind.
    Webhook,
    /// A person.
    Person,
    /// The email address of a person.
    EmailAddress,
    /// A one-time link: an invitation, or a link for a new password.
    Invitation,
    /// A batch of usage that another node is adding.
    UsageBatch,
    /// A record that a row refers to; the database does not report which.
    Reference,
    /// A value that must be unique; the database does not report which.
    Unique,
}

impl Record {
    /// The noun used in messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Collection => "collection",
            Self::Creator => "creator",
            Self::Track => "track",
            Self::Variant => "variant",
            Self::VariantIndex => "variant with this index",
            Self::File => "file",
            Self::PlaySession => "play session",
            Self::UploadSession => "upload session",
            Self::Upload => "upload",
            Self::ApiKey => "API key",
            Self::SigningKey => "signing key",
            Self::Webhook => "webhook of this kind",
            Self::Person => "person",
            Self::EmailAddress => "person with this email address",
            Self::Invitation => "link",
            Self::UsageBatch => "batch of usage with this name",
            Self::Reference => "record that this refers to",
            Self::Unique => "record of this kind",
        }
    }

    const fn article(self) -> &'static str {
        match self {
            Self::Organization | Self::UploadSession | Self::Upload | Self::ApiKey => "an",
            _ => "a",
        }
    }
}

/// An error of the catalog. The messages are sentences and never contain SQL; the error of the database itself is
/// available through [`Error::source`].
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The record does not exist, or no longer exists.
    #[error("the {} does not exist", .0.as_str())]
    Missing(Record),
    /// Such a record already exists.
    #[error("{} {} already exists", .0.article(), .0.as_str())]
    Taken(Record),
    /// The database cannot be reached, is locked by another transaction or timed out. Nothing was written, and a retry may
    /// succeed.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// There is too little free space to add records, or none to write anything. Nothing was written.
    #[error("there is too little free space for the database")]
    Full(#[source] Box<dyn Error + Send + Sync>),
    /// The connection broke during a commit, and its outcome could not be determined. Only [`Transaction::commit`]
    /// returns this. Do not undo anything that the transaction may have recorded.
    ///
    /// [`Transaction::commit`]: crate::Transaction::commit
    #[error("the database stopped responding during a commit, and the outcome is unknown")]
    UnknownOutcome(#[source] Box<dyn Error + Send + Sync>),
    /// The right on which the request acts has ended since its head was judged. Only [`Catalog::begin`] returns this.
    ///
    /// [`Catalog::begin`]: crate::Catalog::begin
    #[error("the right on which the request acts has ended")]
    RightEnded(EndedRight),
    /// The organization keeps as many records in the database as it may.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// A row contains a value that this version does not understand.
    #[error("{0}")]
    Corrupt(String),
    /// The tables are not those that this version needs.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Any other error: a bug in Tonearm or a mistake in the setup of the database.
    #[error("the database rejected a statement")]
    Other(#[source] Box<dyn Error + Send + Sync>),
}

/// Why the tables of a database are not those that this version needs.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The database has no tables.
    #[error("the database is empty. Run `tonearm migrate`, or start the service")]
    Empty,
    /// The tables are from an earlier version.
    #[error(
        "the database has the tables of an earlier version. Run `tonearm migrate`, or start the service with `--migrate`"
    )]
    Behind,
    /// A newer version changed the tables, and this version can no longer use them.
    #[error("the database was changed by a newer version of Tonearm, so this version cannot use it{}", needed(.oldest.as_deref()))]
    Newer {
        /// The oldest version that can use them, if known.
        oldest: Option<String>,
    },
    /// Tables cannot be created, because the database cannot store every text.
    #[error(
        "the database has the encoding {0}, in which titles in other scripts cannot be stored. Create it with ENCODING 'UTF8' TEMPLATE template0"
    )]
    Encoding(String),
    /// Another process was still migrating when the time to wait for it ran out.
    #[error("another process is still migrating this database")]
    Busy,
    /// A step failed. Completed work is kept, and the next attempt continues from there.
    #[error("the step {step} failed: {source}{}", reason(.source))]
    Step {
        /// Its name.
        step: String,
        /// Why.
        source: Box<CatalogError>,
    },
}

fn needed(oldest: Option<&str>) -> String {
    oldest.map(|oldest| format!(". Version {oldest} or newer is required")).unwrap_or_default()
}

/// The error of the database itself, for the operator who has to repair it.
fn reason(error: &CatalogError) -> String {
    innermost_cause(error).map(|cause| format!(" ({cause})")).unwrap_or_default()
}

impl SchemaError {
    pub(crate) fn step(step: &str, source: CatalogError) -> Self {
        Self::Step { step: step.to_owned(), source: Box::new(source) }
    }
}

impl CatalogError {
    /// Maps a violated unique constraint to `record`, for statements that can violate only one.
    pub(crate) fn or_taken(record: Record) -> impl FnOnce(DbErr) -> Self {
        move |error| match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Taken(record),
            _ => error.into(),
        }
    }
}

impl CatalogError {
    /// Why a database cannot be opened, and what to do, for the operator who sets it up. Errors of statements say less, because
    /// their texts are for everybody.
    pub fn of_opening(&self) -> String {
        let (Self::Unavailable(source) | Self::Other(source)) = self else { return self.to_string() };
        let driver = source.downcast_ref().or_else(|| source.downcast_ref().and_then(of_driver));
        let said = innermost_cause(&**source).map_or_else(|| source.to_string(), ToString::to_string);
        let file = source.downcast_ref::<std::io::Error>();
        let advice = match driver {
            None if file.is_some_and(|error| error.kind() == ErrorKind::PermissionDenied) => {
                "run this as the user whose service it is, who must own the file, its folder and the files beside it"
            }
            None if file.is_some() => return said,
            Some(sqlx::Error::Database(error)) => match error.code().as_deref() {
                Some("28P01" | "28000") => "check the user and the password in database_url",
                Some("3D000") => "create the database, or correct its name in database_url",
                Some("42501") => {
                    "give the user the right to create tables: GRANT CREATE ON SCHEMA public TO the user"
                }
                _ => return said,
            },
            _ => "check the host and the port in database_url, and whether the server is running",
        };
        format!("{said}; {advice}")
    }

    /// Whether the database ended the transaction because others waited for it in a circle, or changed what it read.
    /// Nothing was written, and another run probably succeeds.
    pub fn is_victim(&self) -> bool {
        matches!(self, Self::Unavailable(source) if source.downcast_ref().is_some_and(is_of_victim))
    }
}

/// Whether PostgreSQL ended a transaction because of a deadlock, or because it could not be serialized.
pub(crate) fn is_of_victim(error: &DbErr) -> bool {
    let error = of_driver(error).and_then(sqlx::Error::as_database_error);
    error.and_then(|error| error.code()).is_some_and(|code| matches!(&*code, "40P01" | "40001"))
}

impl From<DbErr> for CatalogError {
    fn from(error: DbErr) -> Self {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Taken(Record::Unique),
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Self::Missing(Record::Reference),
            _ if of_driver(&error).is_some_and(is_of_full_disk) => Self::Full(error.into()),
            _ if is_temporary(&error) => Self::Unavailable(error.into()),
            _ => match error {
                DbErr::Type(_) | DbErr::Json(_) | DbErr::TryIntoErr { .. } => {
                    Self::Corrupt("a row of the database contains a value of the wrong type".to_owned())
                }
                other => Self::Other(other.into()),
            },
        }
    }
}

impl From<sqlx::Error> for CatalogError {
    fn from(error: sqlx::Error) -> Self {
        if is_of_full_disk(&error) {
            Self::Full(error.into())
        } else if is_temporary_in_driver(&error) {
            Self::Unavailable(error.into())
        } else {
            Self::Other(error.into())
        }
    }
}

fn is_temporary(error: &DbErr) -> bool {
    matches!(error, DbErr::ConnectionAcquire(_)) || of_driver(error).is_some_and(is_temporary_in_driver)
}

fn of_driver(error: &DbErr) -> Option<&sqlx::Error> {
    match error {
        DbErr::Conn(RuntimeErr::SqlxError(error))
        | DbErr::Exec(RuntimeErr::SqlxError(error))
        | DbErr::Query(RuntimeErr::SqlxError(error)) => Some(&**error),
        _ => None,
    }
}

/// PostgreSQL's code for a write on a server that takes none.
const READ_ONLY: &str = "25006";

/// Whether PostgreSQL refused a write because the server takes none.
pub(crate) fn is_of_read_only_server(error: &DbErr) -> bool {
    let error = of_driver(error).and_then(sqlx::Error::as_database_error);
    error.is_some_and(|error| {
        error
            .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()
            .is_some_and(|error| error.code() == READ_ONLY)
    })
}

/// Whether a disk of the database is full: SQLITE_FULL, SQLITE_IOERR_SHMSIZE (no space for the index of the write-ahead
/// log), and PostgreSQL's disk_full.
fn is_of_full_disk(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| matches!(&*code, "13" | "4874" | "53100"))
}

/// A protocol error counts as a broken connection: if a connection ends before the server has answered the request for
/// TLS, the driver reads the answer as 0, and proxies end connections this way while their server is down.
fn is_temporary_in_driver(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Protocol(_)
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

/// The low byte of SQLite's extended code: busy, locked, no memory, interrupted, I/O error, cannot open.
fn is_temporary_in_sqlite(code: &str) -> bool {
    code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 7 | 9 | 10 | 14))
}

/// PostgreSQL's SQLSTATE: connections (08), log-ins (28), a missing database (3D000), resources (53), operators and
/// timeouts (57, 25P03), a database that takes no connections (55000), a server in recovery (25006), locks (55P03), and transactions that only need a retry (40).
/// A missing database and a refused log-in are temporary, since the node could connect when it started.
fn is_temporary_in_postgres(state: &str) -> bool {
    ["08", "28", "53", "57", "40"].iter().any(|class| state.starts_with(class))
        || matches!(state, READ_ONLY | "25P03" | "3D000" | "55000" | "55P03")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_no_host() {
        let opened =
            |kind: ErrorKind| CatalogError::Unavailable(std::io::Error::from(kind).into()).of_opening();
        assert!(opened(ErrorKind::PermissionDenied).contains("run this as the user whose service it is"));
        assert_eq!(opened(ErrorKind::NotADirectory), "not a directory");
    }

    #[test]
    fn codes_that_pass_are_told_from_those_that_do_not() {
        for code in ["5", "517", "261", "6", "7", "9", "10", "778", "14"] {
            assert!(is_temporary_in_sqlite(code), "{code}");
        }
        for code in ["1", "11", "19", "2067", ""] {
            assert!(!is_temporary_in_sqlite(code), "{code}");
        }
        for state in [
            "08006", "28000", "3D000", "53300", "57P01", "40001", "40P01", "55P03", "55000", "25006", "25P03",
        ] {
            assert!(is_temporary_in_postgres(state), "{state}");
        }
        for state in ["23505", "42601", "22021", "25P02", ""] {
            assert!(!is_temporary_in_postgres(state), "{state}");
        }
    }
}
