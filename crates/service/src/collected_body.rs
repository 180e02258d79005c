//! The body of a request that may be run again.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

/// The body of a request once it has been read completely. It is among the extensions of a request that can be run again:
/// see [`in_request`](crate::in_request).
#[derive(Clone, Default)]
pub struct CollectedBody(Arc<OnceLock<Bytes>>);

impl CollectedBody {
    /// Keeps the body.
    pub fn keep(&self, body: &Bytes) {
        // A body is read once.
        self.0.get_or_init(|| body.clone());
    }

    /// The body, if it was read.
    pub fn get(&self) -> Option<Bytes> {
        self.0.get().cloned()
    }
}
