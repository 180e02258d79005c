//! What can go wrong, as far as callers can do something about it.

use std::error::Error;

use sea_orm::sqlx;
use sea_orm::{DbErr, RuntimeErr, SqlErr};
use tonearm_domain::innermost_cause;

/// What is missing or taken.
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
    /// A webhook; of each kind there is one for each organization.
    Webhook,
    /// A person.
    Person,
    /// The email address of a person.
    EmailAddress,
    /// A link that lets somebody in.
    Invitation,
    /// A batch of usage, which another node is adding.
    UsageBatch,
    /// Something that a row refers to; the database does not say what.
    Reference,
    /// A value that is unique in the database; it does not say which.
    Unique,
}

impl Record {
    /// The noun for people.
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

/// Why the catalog did not do what it was asked. The texts are sentences and never hold SQL; what the database
/// itself said is behind [`Error::source`].
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// It does not exist, or no longer.
    #[error("the {} does not exist", .0.as_str())]
    Missing(Record),
    /// There is one already.
    #[error("{} {} already exists", .0.article(), .0.as_str())]
    Taken(Record),
    /// The database cannot be reached, is locked by somebody else or ran out of time or room, and nothing was
    /// written: the same may work later.
    #[error("the database is unavailable")]
    Unavailable(#[source] Box<dyn Error + Send + Sync>),
    /// The connection broke during a commit and nobody could say what became of it. Only [`Transaction::commit`]
    /// gives this. Whatever the transaction may have recorded must not be undone.
    ///
    /// [`Transaction::commit`]: crate::Transaction::commit
    #[error("the database stopped responding during a commit, and the outcome is unknown")]
    UnknownOutcome(#[source] Box<dyn Error + Send + Sync>),
    /// A row holds something that this version does not understand.
    #[error("{0}")]
    Corrupt(String),
    /// The tables are not those that this version needs.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Anything else, which is a mistake in Tonearm or in how the database was set up.
    #[error("the database rejected a statement")]
    Other(#[source] Box<dyn Error + Send + Sync>),
}

/// Why the tables of a database are not those that this version needs.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// There are none.
    #[error("the database is empty. Run `tonearm migrate`, or start the service")]
    Empty,
    /// An earlier version made them.
    #[error(
        "the database has the tables of an earlier version. Run `tonearm migrate`, or start the service with `--migrate`"
    )]
    Behind,
    /// A newer version changed them, and this one cannot use them any more.
    #[error("the database was changed by a newer version of Tonearm, so this version cannot use it{}", needed(.oldest.as_deref()))]
    Newer {
        /// The oldest version that can use them, where that is known.
        oldest: Option<String>,
    },
    /// Another process was migrating for all the time that this one was to wait.
    #[error("another process is still migrating this database")]
    Busy,
    /// A step failed. What was done stays done; the next attempt goes on from there.
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

/// What the database itself said, for whoever has to repair it.
fn reason(error: &CatalogError) -> String {
    innermost_cause(error).map(|cause| format!(" ({cause})")).unwrap_or_default()
}

impl SchemaError {
    pub(crate) fn step(step: &str, source: CatalogError) -> Self {
        Self::Step { step: step.to_owned(), source: Box::new(source) }
    }
}

impl CatalogError {
    /// Says what a duplicate means where only one unique rule can be broken.
    pub(crate) fn or_taken(record: Record) -> impl FnOnce(DbErr) -> Self {
        move |error| match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Taken(record),
            _ => error.into(),
        }
    }
}

impl From<DbErr> for CatalogError {
    fn from(error: DbErr) -> Self {
        match error.sql_err() {
            Some(SqlErr::UniqueConstraintViolation(_)) => Self::Taken(Record::Unique),
            Some(SqlErr::ForeignKeyConstraintViolation(_)) => Self::Missing(Record::Reference),
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

/// What the driver does not understand counts as a broken connection: one that ends before the server has answered the
/// request for TLS is read as the answer 0, and proxies end connections so while their server is away.
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

/// The low byte of SQLite's extended code: busy, locked, no memory, interrupted, I/O error, disk full, cannot open.
fn is_temporary_in_sqlite(code: &str) -> bool {
    code.parse::<u32>().is_ok_and(|code| matches!(code & 0xFF, 5 | 6 | 7 | 9 | 10 | 13 | 14))
}

/// PostgreSQL's SQLSTATE: connections (08), log-ins (28), a database that is gone (3D000), resources (53),
/// operators and time-outs (57, 25P03), a server in recovery (25006), locks (55P03), and transactions that only need to
/// be run again (40). A node that could start had a database and was let in, so it may be again.
fn is_temporary_in_postgres(state: &str) -> bool {
    ["08", "28", "53", "57", "40"].iter().any(|class| state.starts_with(class))
        || matches!(state, "25006" | "25P03" | "3D000" | "55P03")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_that_pass_are_told_from_those_that_do_not() {
        for code in ["5", "517", "261", "6", "7", "9", "10", "778", "13", "14"] {
            assert!(is_temporary_in_sqlite(code), "{code}");
        }
        for code in ["1", "11", "19", "2067", ""] {
            assert!(!is_temporary_in_sqlite(code), "{code}");
        }
        for state in
            ["08006", "28000", "3D000", "53300", "57P01", "40001", "40P01", "55P03", "25006", "25P03"]
        {
            assert!(is_temporary_in_postgres(state), "{state}");
        }
        for state in ["23505", "42601", "22021", "25P02", ""] {
            assert!(!is_temporary_in_postgres(state), "{state}");
        }
    }
}
