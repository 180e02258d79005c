//! Counts the open exchanges of a connection.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One open exchange.
pub(super) struct OpenExchange(Arc<AtomicUsize>);

impl OpenExchange {
    pub(super) fn one_more(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }

    /// The number of open exchanges.
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
