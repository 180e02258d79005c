//! Which loads are too old to be used.

use std::sync::atomic::{AtomicU64, Ordering};

use uuid::Uuid;

/// Ids that fall on one counter share their invalidations, which costs a load and nothing else.
const COUNTERS: usize = 1024;

/// Counts the changes of whatever is named by an id.
///
/// What is cached stands under its id and the count from before it was loaded. Once a change is counted, nobody
/// looks under the old count any more: neither at what is there already, nor at what a load that is still under
/// way will put there. So there is no moment at which an old value could slip back in.
pub(super) struct Generations(Box<[AtomicU64]>);

impl Generations {
    pub(super) fn new() -> Self {
        Self((0..COUNTERS).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn current(&self, id: Uuid) -> u64 {
        self.counter(id).load(Ordering::SeqCst)
    }

    /// What was loaded so far about this id is not used again.
    pub(super) fn advance(&self, id: Uuid) {
        self.counter(id).fetch_add(1, Ordering::SeqCst);
    }

    /// Of what changes with any of these.
    pub(super) fn current_of(&self, ids: &[Uuid]) -> u64 {
        // No counter ever falls, so the sum is another one after each change.
        ids.iter().fold(0, |sum: u64, id| sum.wrapping_add(self.current(*id)))
    }

    fn counter(&self, id: Uuid) -> &AtomicU64 {
        // The low half of an id is random in both of the versions in use.
        let (_, low) = id.as_u64_pair();
        &self.0[low as usize % COUNTERS]
    }
}
