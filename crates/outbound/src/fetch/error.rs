//! Why a file could not be fetched.

use super::limits::FetchLimits;
use crate::guard::GuardError;

/// Why there is no file. The text is for people and never contains the URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// A retry would fail in the same way, or the server may not be called.
    #[error("{0}")]
    Final(String),
    /// A later retry may succeed; not before this many seconds, if the server said so.
    #[error("{0}")]
    Later(String, Option<i64>),
    /// The rest does not match the bytes received so far, or cannot be requested separately: the file has to be fetched
    /// from its beginning.
    #[error("{0}")]
    StartOver(String),
}

pub(crate) fn not_allowed(error: GuardError) -> FetchError {
    match error {
        GuardError::Unresolvable(_) => FetchError::Later(error.to_string(), None),
        error => FetchError::Final(error.to_string()),
    }
}

pub(super) fn too_late(limits: FetchLimits) -> FetchError {
    let minutes = limits.total.as_secs() / 60;
    FetchError::Final(format!("the file could not be fetched within {minutes} minutes"))
}

pub(super) fn too_large(limits: FetchLimits, size: Option<u64>) -> FetchError {
    let most = limits.max_bytes;
    FetchError::Final(match size {
        Some(size) => format!("the file has {size} bytes, which is more than the limit of {most} bytes"),
        None => format!("the file is larger than the limit of {most} bytes"),
    })
}
