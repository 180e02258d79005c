//! The rule for bounded pools: no organization holds more than its share while another waits.
//!
//! Pools that refuse at once follow [`room`]: a holder never has more than what is then left for the others. Where
//! callers wait instead, whoever holds the least goes next: [`FairSemaphore`](crate::FairSemaphore).

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many more of a pool's `most` places a holder may take that has `own` of the `taken` ones: half of what is left
/// after as many as it has. Alone, it gets half of the pool; the next one half of the rest, and so on. A holder that has
/// none gets any place that is free.
pub const fn room(most: u64, taken: u64, own: u64) -> u64 {
    most.saturating_sub(taken).saturating_sub(own).div_ceil(2)
}

/// A pool of places or bytes that are held at the same time, shared by the rule of [`room`]. Cheap to clone; clones
/// share the pool.
#[derive(Debug, Clone)]
pub struct Shares(Arc<Pool>);

#[derive(Debug)]
struct Pool {
    most: u64,
    hasher: RandomState,
    used: Mutex<Used>,
}

#[derive(Debug, Default)]
struct Used {
    total: u64,
    /// By the hash of the holder.
    by_holder: HashMap<u64, u64>,
}

/// What a holder has of a pool, until this is dropped.
#[derive(Debug)]
pub struct Held {
    shares: Shares,
    holder: u64,
    count: u64,
}

impl Shares {
    /// A pool of `most` places or bytes.
    pub fn new(most: u64) -> Self {
        Self(Arc::new(Pool { most, hasher: RandomState::new(), used: Mutex::default() }))
    }

    /// Nothing yet, for a holder: a key, an organization or a network.
    pub fn holder(&self, holder: impl Hash) -> Held {
        Held { shares: self.clone(), holder: self.0.hasher.hash_one(holder), count: 0 }
    }

    /// One place for a holder; `None` if it has its share.
    pub fn take(&self, holder: impl Hash) -> Option<Held> {
        let mut held = self.holder(holder);
        held.grow(1).then_some(held)
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // After a panic the sums are still consistent.
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// Takes more; `false`, and nothing is taken, if there is no [`room`] for it.
    #[must_use]
    pub fn grow(&mut self, count: u64) -> bool {
        let mut used = self.shares.used();
        let own = used.by_holder.get(&self.holder).copied().unwrap_or(0);
        if count > room(self.shares.0.most, used.total, own) {
            return false;
        }
        used.total += count;
        used.by_holder.insert(self.holder, own + count);
        self.count += count;
        true
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.count == 0 {
            return;
        }
        let mut used = self.shares.used();
        used.total -= self.count;
        if let Some(own) = used.by_holder.get_mut(&self.holder) {
            *own -= self.count;
            if *own == 0 {
                used.by_holder.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::random;

    #[test]
    fn a_holder_leaves_as_much_as_it_has() {
        let budget = Shares::new(1000);
        let mut one = budget.holder("one");
        assert!(one.grow(500));
        assert!(!one.grow(1) && !budget.holder("one").grow(1), "all requests of a holder count together");
        let mut other = budget.holder("other");
        assert!(other.grow(250) && !other.grow(1));
        drop(one);
        assert!(other.grow(125) && !other.grow(1000));
        drop(other);
        assert!(budget.used().by_holder.is_empty() && budget.used().total == 0);
    }

    #[test]
    fn every_place_is_for_somebody() {
        for (most, expected) in [(1, vec![1]), (2, vec![1, 1]), (9, vec![5, 2, 1, 1]), (512, vec![256, 128])]
        {
            let places = Shares::new(most);
            let mut held = Vec::new();
            for (holder, share) in expected.iter().enumerate() {
                let before = held.len();
                held.extend(std::iter::from_fn(|| places.take(holder)));
                assert_eq!(held.len() - before, *share, "holder {holder} of {most}");
            }
        }
    }

    /// Greedy holders take whatever they get, in random order. Each halves what is left at most.
    #[test]
    fn there_is_always_room_for_one_more() {
        for seed in 1..=20_u64 {
            let mut next = random(seed);
            let (budget, greedy) = (Shares::new(1 << 20), 1 + next(7));
            let mut held = Vec::new();
            for step in 0..2000 {
                let mut more = budget.holder(next(greedy));
                if more.grow(1 + next(4096)) {
                    held.push(more);
                }
                if next(4) == 0 && !held.is_empty() {
                    held.swap_remove(next(held.len() as u64) as usize);
                }
                let left = (1 << 20) - budget.used().total;
                assert!(left >= (1 << 20) >> greedy, "seed {seed}, step {step}: {left} with {greedy}");
                assert!(budget.holder("modest").grow(left / 2), "seed {seed}, step {step}: {left}");
            }
        }
    }
}
