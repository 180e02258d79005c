//! Counts the exchanges of a connection that are open.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One of the exchanges that are open.
pub(super) struct OpenExchange(Arc<AtomicUsize>);

impl OpenExchange {
    pub(super) fn one_more(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(count))
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for OpenExchange {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
