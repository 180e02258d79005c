//! Errors, as far as callers distinguish them.

use std::error::Error;
use std::fmt;
use std::io;

/// Any error, as bodies and stores report it.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    /// The store is unreachable, rejects the request, or is misconfigured. A later retry may succeed.
    #[error(transparent)]
    Unavailable(Cause),
    /// No space is left. A retry may succeed once there is.
    #[error("no space is left in the object store")]
    Full,
    /// An object exists but is incomplete. A retry does not help.
    #[error("an object in the store is shorter than its recorded size")]
    Corrupt,
}

/// A sentence about what failed, and the error underneath (its `source`).
#[derive(Debug)]
pub struct Cause {
    sentence: &'static str,
    source: BoxError,
}

/// A failure to put an object. Nothing of it stays in the store.
#[derive(Debug, thiserror::Error)]
pub enum PutError {
    /// There are more bytes than allowed, or than were announced.
    #[error("the object is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The largest size, in bytes.
        limit: u64,
    },
    /// The body failed, or ended short of the announced size.
    #[error("the upload of the object was interrupted")]
    Interrupted(#[source] BoxError),
    /// The bytes do not match the announced digest.
    #[error("the object does not match its announced digest")]
    DigestMismatch,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] BlobError),
}

impl Cause {
    pub(crate) fn new(sentence: &'static str, source: impl Into<BoxError>) -> Self {
        Self { sentence, source: source.into() }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.source.as_ref())
    }
}

impl BlobError {
    /// Whether the folder of the store is not there.
    pub fn is_absent(&self) -> bool {
        let Self::Unavailable(cause) = self else { return false };
        cause.source.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    pub(crate) fn unavailable(sentence: &'static str, source: impl Into<BoxError>) -> Self {
        Self::Unavailable(Cause::new(sentence, source))
    }
}

/// From file operations inside the folder of a store.
impl From<io::Error> for BlobError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full,
            io::ErrorKind::UnexpectedEof => Self::Corrupt,
            _ => Self::unavailable("cannot use the folder of the object store", error),
        }
    }
}

impl From<io::Error> for PutError {
    fn from(error: io::Error) -> Self {
        Self::Store(error.into())
    }
}

/// From a blocking task: it panicked, or the runtime is shutting down.
impl From<tokio::task::JoinError> for BlobError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::unavailable("the object store was interrupted", error)
    }
}

impl From<tokio::task::JoinError> for PutError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Store(error.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_in_the_source_and_sentences_in_the_text() {
        let away = BlobError::from(io::Error::other("EIO or so"));
        assert_eq!(away.to_string(), "cannot use the folder of the object store");
        assert_eq!(away.source().map(ToString::to_string).as_deref(), Some("EIO or so"));
        let put = PutError::from(io::Error::other("EIO or so"));
        assert_eq!(put.to_string(), "cannot use the folder of the object store");
        assert_eq!(put.source().map(ToString::to_string).as_deref(), Some("EIO or so"));
    }

    #[test]
    fn a_full_disk_is_told_apart() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(matches!(BlobError::from(io::Error::from(kind)), BlobError::Full));
        }
    }
}
