//! Invalidation of cached values by generation counters.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// The number of counters. Ids that share a counter are invalidated together, which only costs an extra load.
const COUNTERS: usize = 1024;

/// Counts the changes of the records with an id.
///
/// A cached value is stored under its id and the count from before it was loaded. Once a change is counted, no lookup
/// uses the old count: neither for values that are cached already, nor for values that a running load will still add.
/// So there is no race in which an old value could reappear.
pub(super) struct Generations(Box<[AtomicU64]>);

impl Generations {
    pub(super) fn new() -> Self {
        Self((0..COUNTERS).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn current(&self, id: Uuid) -> u64 {
        self.counter(id).load(Ordering::SeqCst)
    }

    /// Invalidates everything that was loaded so far for this id.
    pub(super) fn advance(&self, id: Uuid) {
        self.counter(id).fetch_add(1, Ordering::SeqCst);
    }

    /// The generation of a value that depends on all of these ids.
    pub(super) fn current_of(&self, ids: &[Uuid]) -> u64 {
        // Counters never decrease, so each change gives a different sum.
        ids.iter().fold(0, |sum: u64, id| sum.wrapping_add(self.current(*id)))
    }

    fn counter(&self, id: Uuid) -> &AtomicU64 {
        // The low half of an id is random in both of the versions in use.
        let (_, low) = id.as_u64_pair();
        &self.0[low as usize % COUNTERS]
    }
}
