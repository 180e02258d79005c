//! The location of the database.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use sea_orm::sqlx::postgres::PgConnectOptions;

/// The location of the database: `sqlite:///path/file.db`, `sqlite://relative/file.db` or
/// `postgres://user:password@host:port/database`. Its printed form omits the password.
#[derive(Clone)]
pub struct DatabaseUrl(pub(crate) DatabaseLocation);

#[derive(Clone)]
pub(crate) enum DatabaseLocation {
    /// The path is taken from the URL as it is, without percent-decoding.
    Sqlite(PathBuf),
    Postgres(Box<PgConnectOptions>),
}

const ESCAPES: &str =
    "; in a user name or a password, write @ as %40, / as %2F, # as %23, ? as %3F and % as %25";

/// Why a text is not a valid database URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DatabaseUrlError {
    /// Neither of the two schemes.
    #[error("must start with sqlite:// or postgres://")]
    Scheme,
    /// `sqlite://` with nothing behind it, or `sqlite::memory:`.
    #[error("must name a file, as in sqlite:///var/lib/tonearm/catalog.db")]
    File,
    /// Options after a `?`.
    #[error("cannot have options after a question mark for SQLite")]
    Options,
    /// The part after `postgres://` is not valid. The error does not include the text, which may contain a password.
    #[error("must look like postgres://user:password@host:5432/database{}", ESCAPES)]
    Postgres,
    /// A password ends at a character that separates the parts of a URL, and the rest of it is in other parts.
    #[error("has an @ after the host{}", ESCAPES)]
    Unescaped,
}

impl DatabaseUrl {
    /// The file of an SQLite database.
    pub fn sqlite(path: impl Into<PathBuf>) -> Self {
        Self(DatabaseLocation::Sqlite(path.into()))
    }

    /// The file, if it is an SQLite database.
    pub fn sqlite_path(&self) -> Option<&Path> {
        match &self.0 {
            DatabaseLocation::Sqlite(path) => Some(path),
            DatabaseLocation::Postgres(_) => None,
        }
    }
}

impl FromStr for DatabaseUrl {
    type Err = DatabaseUrlError;

    fn from_str(text: &str) -> Result<Self, DatabaseUrlError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            if is_unescaped(text) {
                return Err(DatabaseUrlError::Unescaped);
            }
            let options = text.parse().map_err(|_| DatabaseUrlError::Postgres)?;
            return Ok(Self(DatabaseLocation::Postgres(Box::new(options))));
        }
        match text.strip_prefix("sqlite://") {
            Some("" | "/" | ":memory:") => Err(DatabaseUrlError::File),
            Some(path) if path.contains('?') => Err(DatabaseUrlError::Options),
            Some(path) if path.ends_with('/') => Err(DatabaseUrlError::File),
            Some(path) => Ok(Self::sqlite(path)),
            None if text.starts_with("sqlite:") => Err(DatabaseUrlError::File),
            None => Err(DatabaseUrlError::Scheme),
        }
    }
}

/// Whether a part of the password would be taken for the host, the database or an option.
fn is_unescaped(url: &str) -> bool {
    let after_scheme = url.split_once("://").map_or("", |(_, rest)| rest);
    let (server, rest) =
        after_scheme.split_at(after_scheme.find(['/', '?', '#']).unwrap_or(after_scheme.len()));
    let database = rest.split(['?', '#']).next().unwrap_or_default();
    database.contains('@') || (rest.contains('@') && !server.contains('@'))
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            DatabaseLocation::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            DatabaseLocation::Postgres(options) => {
                let (user, host, port) = (options.get_username(), options.get_host(), options.get_port());
                let database = options.get_database().unwrap_or(user);
                write!(f, "postgres://{user}@{host}:{port}/{database}")
            }
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_databases_are_named_by_url() {
        let path = |text: &str| text.parse::<DatabaseUrl>().unwrap().sqlite_path().map(Path::to_owned);
        assert_eq!(path("sqlite:///var/lib/a b.db"), Some("/var/lib/a b.db".into()));
        assert_eq!(path("sqlite://data/catalog.db"), Some("data/catalog.db".into()));
        assert_eq!(path("postgres://me@localhost/tonearm"), None);
    }

    #[test]
    fn passwords_may_be_escaped_and_options_may_have_an_at_sign() {
        for text in [
            "postgres://me:pa%40s%2Fs@host/x",
            "postgres://me:pa@ss@host/x",
            "postgres://me:pa@host/x?application_name=a@b",
            "postgres:///x?host=/run/postgresql",
        ] {
            let url = text.parse::<DatabaseUrl>().map(|url| url.to_string());
            assert!(url.as_ref().is_ok_and(|url| url.ends_with("/x")), "{text}: {url:?}");
        }
    }

    #[test]
    fn passwords_are_not_printed() {
        let url: DatabaseUrl =
            "postgres://me:hunter2@db.example:6432/tonearm?sslmode=require".parse().unwrap();
        assert_eq!(url.to_string(), "postgres://me@db.example:6432/tonearm");
        assert_eq!(format!("{url:?}"), "DatabaseUrl(postgres://me@db.example:6432/tonearm)");
    }

    #[test]
    fn what_is_no_url_is_said_plainly() {
        for (text, expected) in [
            ("", DatabaseUrlError::Scheme),
            ("mysql://localhost/x", DatabaseUrlError::Scheme),
            ("catalog.db", DatabaseUrlError::Scheme),
            ("sqlite://", DatabaseUrlError::File),
            ("sqlite::memory:", DatabaseUrlError::File),
            ("sqlite:///var/lib/", DatabaseUrlError::File),
            ("sqlite:///a.db?mode=rwc", DatabaseUrlError::Options),
            ("postgres://me:secret@host:notaport/x", DatabaseUrlError::Postgres),
            ("postgres://me:pa/ss@host/x", DatabaseUrlError::Unescaped),
            ("postgres://me:p@s/s@host/x", DatabaseUrlError::Unescaped),
            ("postgres://me:12?s@host/x", DatabaseUrlError::Unescaped),
            ("postgres://me:pa#ss@host/x", DatabaseUrlError::Unescaped),
        ] {
            assert_eq!(text.parse::<DatabaseUrl>().map(|_| ()), Err(expected), "{text}");
        }
    }
}
