//! A budget of bytes that are held at the same time, shared by many holders.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A budget of bytes. A holder never has more than what is then left for the others: half of the budget, if it is alone.
/// So there is always room for one more. Cheap to clone; clones share the budget.
#[derive(Clone)]
pub struct ByteBudget(Arc<Budget>);

struct Budget {
    most: u64,
    hasher: RandomState,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    total: u64,
    /// By the hash of the holder.
    by_holder: HashMap<u64, u64>,
}

/// Bytes that a holder has, until this is dropped.
pub struct HeldBytes {
    budget: ByteBudget,
    holder: u64,
    bytes: u64,
}

/// A budget for the bodies of requests that are collected in memory, and the network of a request. Servers add it to the
/// extensions of a request with a body.
#[derive(Clone)]
pub struct BodyBudget {
    /// The budget.
    pub budget: ByteBudget,
    /// The network that the request comes from.
    pub network: IpAddr,
}

impl BodyBudget {
    /// Holds the bytes of a body; `None` if its network would have more than its share.
    pub fn hold(&self, bytes: u64) -> Option<HeldBytes> {
        let mut held = self.budget.holder(self.network);
        held.grow(bytes).then_some(held)
    }
}

impl ByteBudget {
    /// A budget of at most `most` bytes.
    pub fn new(most: u64) -> Self {
        Self(Arc::new(Budget { most, hasher: RandomState::new(), used: Mutex::default() }))
    }

    /// Nothing yet, for a holder: a key, an organization or a network.
    pub fn holder(&self, holder: impl Hash) -> HeldBytes {
        HeldBytes { budget: self.clone(), holder: self.0.hasher.hash_one(holder), bytes: 0 }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // After a panic the sums are still consistent.
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldBytes {
    /// Adds bytes; `false`, and nothing is added, if the holder would have more than what is left.
    #[must_use]
    pub fn grow(&mut self, bytes: u64) -> bool {
        let mut used = self.budget.used();
        let total = used.total.saturating_add(bytes);
        let own = used.by_holder.get(&self.holder).copied().unwrap_or(0).saturating_add(bytes);
        if own > self.budget.0.most.saturating_sub(total) {
            return false;
        }
        used.total = total;
        used.by_holder.insert(self.holder, own);
        self.bytes += bytes;
        true
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        if self.bytes == 0 {
            return;
        }
        let mut used = self.budget.used();
        used.total -= self.bytes;
        if let Some(own) = used.by_holder.get_mut(&self.holder) {
            *own -= self.bytes;
            if *own == 0 {
                used.by_holder.remove(&self.holder);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_holder_leaves_as_much_as_it_has() {
        let budget = ByteBudget::new(1000);
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

    /// Greedy holders take whatever they get, in random order. Each halves what is left at most.
    #[test]
    fn there_is_always_room_for_one_more() {
        for seed in 1..=20_u64 {
            let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mut next = move |below: u64| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state % below
            };
            let (budget, greedy) = (ByteBudget::new(1 << 20), 1 + next(7));
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
