//! Drafts: unfinished objects whose bytes arrive in pieces, over hours and at any node.
//!
//! Between two pieces, a draft consists of its [`DraftState`] and of what the store holds for it: in a folder one
//! temporary file that grows, in a bucket the parts of a multipart upload and, as parts have a minimum size, an object
//! with the bytes after the last part (the *tail*). Bytes are durable before [`DraftWriter::flush`] returns the state
//! that counts them, so a process can be lost at any moment. Bytes after the recorded state are overwritten by the next
//! writer.

mod digest;
mod state;
mod writer;

use std::fmt;
use std::sync::Arc;

use tonearm_domain::ObjectKey;

use crate::error::BlobError;

pub(crate) use digest::RunningDigest;
pub(crate) use state::BucketDraft;
pub use state::DraftState;
pub(crate) use writer::DraftStore;
pub use writer::DraftWriter;

/// Bytes at the beginning of a draft from which the name of its object is derived.
pub const NAMED_BY_BYTES: usize = 4096;

type NameByBytes = Arc<dyn Fn(&[u8]) -> ObjectKey + Send + Sync>;

/// The names of the objects of one draft.
#[derive(Clone)]
pub struct DraftNames {
    object: NameByBytes,
    tail: Arc<dyn Fn() -> ObjectKey + Send + Sync>,
}

impl DraftNames {
    /// `object` derives the name of the finished object from its first bytes: [`NAMED_BY_BYTES`] of them, or all if
    /// there are fewer. `tail` returns another name each time.
    pub fn new(
        object: impl Fn(&[u8]) -> ObjectKey + Send + Sync + 'static,
        tail: impl Fn() -> ObjectKey + Send + Sync + 'static,
    ) -> Self {
        Self { object: Arc::new(object), tail: Arc::new(tail) }
    }

    pub(crate) fn object(&self, bytes: &[u8]) -> ObjectKey {
        (self.object)(&bytes[..bytes.len().min(NAMED_BY_BYTES)])
    }

    pub(crate) fn tail(&self) -> ObjectKey {
        (self.tail)()
    }
}

impl fmt::Debug for DraftNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DraftNames")
    }
}

/// A failure to write a draft.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// Another process is writing to it.
    #[error("another request is writing to the upload")]
    InUse,
    /// The bytes that the state describes are not in the store (any more). The draft cannot be continued.
    #[error("the bytes of the upload are not in the object store any more")]
    Lost,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] BlobError),
}

impl From<std::io::Error> for DraftError {
    fn from(error: std::io::Error) -> Self {
        Self::Store(error.into())
    }
}

impl From<tokio::task::JoinError> for DraftError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Store(error.into())
    }
}
