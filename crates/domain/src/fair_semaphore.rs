//! A semaphore that is fair between organizations.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

/// A semaphore that is fair between organizations or other holders. Clones share the permits.
///
/// A free permit goes to the holder that has the fewest, then to the one that was served longest ago, then to the waiter
/// that has waited longest. A holder of more than a waiting one can see that and pass its permit on.
#[derive(Debug, Clone)]
pub struct FairSemaphore(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    permits: usize,
    /// Permits beyond those, for holders that have none.
    extra: usize,
    /// Permits that are taken.
    taken: usize,
    hasher: RandomState,
    /// By the hash of the holder.
    holders: HashMap<u64, Share>,
    /// Those that passed a permit on, and then the others, each in order of arrival.
    waiting: Vec<Waiter>,
    /// Counts the permits granted.
    clock: u64,
}

/// A holder's share of the permits. The entry exists as long as it has or waits for one.
#[derive(Debug, Default)]
struct Share {
    taken: usize,
    waiting: usize,
    served_at: u64,
}

#[derive(Debug)]
struct Waiter {
    holder: u64,
    /// Whether it had a permit, and passed it on.
    had_one: bool,
    wake: oneshot::Sender<FairPermit>,
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub struct FairPermit {
    semaphore: FairSemaphore,
    holder: u64,
    is_extra: bool,
    is_released: bool,
}

impl FairPermit {
    /// Whether it is beyond the ordinary permits.
    pub const fn is_extra(&self) -> bool {
        self.is_extra
    }

    /// Whether somebody waits that has fewer permits than the holder of this one.
    pub fn is_wanted(&self) -> bool {
        let state = self.semaphore.state();
        let taken = |holder: &u64| state.holders.get(holder).map_or(0, |share| share.taken);
        let own = taken(&self.holder);
        state.waiting.iter().any(|waiter| !waiter.wake.is_closed() && taken(&waiter.holder) < own)
    }

    /// Gives the permit to whoever is next, and waits for another. The holder's other waiters come after this one.
    pub async fn pass_on(self) -> Self {
        let (semaphore, holder) = (self.semaphore.clone(), self.holder);
        // Before the permit ends, so that it is still known when the holder was served.
        let woken = semaphore.enqueue(holder, true);
        drop(self);
        match woken.await {
            Ok(permit) => permit,
            Err(_) => semaphore.wait(holder, true).await,
        }
    }
}

impl FairSemaphore {
    /// A semaphore with this many permits, at least one, and `extra` ones for holders that have none.
    pub fn new(permits: usize, extra: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            permits: permits.max(1),
            extra,
            taken: 0,
            hasher: RandomState::new(),
            holders: HashMap::new(),
            waiting: Vec::new(),
            clock: 0,
        })))
    }

    /// Waits for a permit. If the caller stops waiting, its permit goes to another waiter.
    pub async fn acquire(&self, holder: impl Hash) -> FairPermit {
        let holder = self.state().hasher.hash_one(holder);
        self.wait(holder, false).await
    }

    async fn wait(&self, holder: u64, had_one: bool) -> FairPermit {
        loop {
            // A sender leaves the list only with a permit.
            if let Ok(permit) = self.enqueue(holder, had_one).await {
                return permit;
            }
        }
    }

    fn enqueue(&self, holder: u64, had_one: bool) -> oneshot::Receiver<FairPermit> {
        let (wake, woken) = oneshot::channel();
        let mut state = self.state();
        state.forget_gone();
        state.holders.entry(holder).or_default().waiting += 1;
        let place = match had_one {
            true => state.waiting.partition_point(|waiter| waiter.had_one),
            false => state.waiting.len(),
        };
        state.waiting.insert(place, Waiter { holder, had_one, wake });
        self.grant(state);
        woken
    }

    /// Grants the free permits.
    fn grant(&self, mut state: MutexGuard<'_, State>) {
        while let Some(place) = state.next() {
            let waiter = state.waiting.remove(place);
            let holder = waiter.holder;
            let is_extra = state.taken >= state.permits;
            state.begin(holder);
            state.leave(holder);
            let permit = FairPermit { semaphore: self.clone(), holder, is_extra, is_released: false };
            if let Err(mut unwanted) = waiter.wake.send(permit) {
                // Dropping it would lock the state again.
                unwanted.is_released = true;
                state.end(holder);
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Each change is complete before anything can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// The index of the next waiter, if one may have a permit.
    fn next(&self) -> Option<usize> {
        if self.taken >= self.permits.saturating_add(self.extra) {
            return None;
        }
        let is_crowded = self.taken >= self.permits;
        let share = |waiter: &Waiter| {
            self.holders.get(&waiter.holder).map_or((0, 0), |share| (share.taken, share.served_at))
        };
        let waiting = self.waiting.iter().enumerate().map(|(place, waiter)| (share(waiter), place));
        let allowed = waiting.filter(|((taken, _), _)| !is_crowded || *taken == 0);
        allowed.min().map(|(_, place)| place)
    }

    fn begin(&mut self, holder: u64) {
        self.taken += 1;
        self.clock += 1;
        let share = self.holders.entry(holder).or_default();
        share.taken += 1;
        share.served_at = self.clock;
    }

    fn end(&mut self, holder: u64) {
        self.taken -= 1;
        self.change(holder, |share| share.taken -= 1);
    }

    fn leave(&mut self, holder: u64) {
        self.change(holder, |share| share.waiting -= 1);
    }

    fn change(&mut self, holder: u64, change: impl FnOnce(&mut Share)) {
        let Some(share) = self.holders.get_mut(&holder) else { return };
        change(share);
        if share.taken == 0 && share.waiting == 0 {
            self.holders.remove(&holder);
        }
    }

    /// Removes the waiters that have stopped waiting.
    fn forget_gone(&mut self) {
        let (gone, waiting) = self.waiting.drain(..).partition(|waiter| waiter.wake.is_closed());
        self.waiting = waiting;
        let gone: Vec<Waiter> = gone;
        for waiter in gone {
            self.leave(waiter.holder);
        }
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        if !self.is_released {
            let mut state = self.semaphore.state();
            state.end(self.holder);
            self.semaphore.grant(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use proptest::prelude::*;

    use super::*;

    fn at_once(semaphore: &FairSemaphore, holder: usize) -> Option<FairPermit> {
        semaphore.acquire(holder).now_or_never()
    }

    #[test]
    fn a_holder_without_a_permit_does_not_wait() {
        let semaphore = FairSemaphore::new(2, 1);
        let taken = [at_once(&semaphore, 1).unwrap(), at_once(&semaphore, 1).unwrap()];
        assert!(at_once(&semaphore, 1).is_none());
        let extra = at_once(&semaphore, 2).unwrap();
        assert!(extra.is_extra() && !taken[0].is_extra());
        assert!(at_once(&semaphore, 3).is_none(), "there is one more, not one for everybody");
        drop(extra);
        drop(taken);
        assert!(semaphore.state().holders.is_empty() && semaphore.state().taken == 0);
    }

    #[tokio::test]
    async fn holders_alternate() {
        let semaphore = FairSemaphore::new(1, 1);
        let mut running = vec![semaphore.acquire(1).await, semaphore.acquire(2).await];
        let (sender, mut served) = tokio::sync::mpsc::unbounded_channel();
        for holder in [1, 1, 1, 2, 2, 2] {
            let (semaphore, sender) = (semaphore.clone(), sender.clone());
            tokio::spawn(async move {
                let permit = semaphore.acquire(holder).await;
                sender.send((holder, permit)).unwrap();
            });
            tokio::task::yield_now().await;
        }
        let mut order = Vec::new();
        while order.len() < 6 {
            running.remove(0);
            let (holder, permit) = served.recv().await.unwrap();
            order.push(holder);
            running.push(permit);
        }
        assert_eq!(order, [1, 2, 1, 2, 1, 2]);
    }

    /// Each of five holders has work without end for two permits. Whoever is wanted passes its permit on.
    #[test]
    fn permits_that_are_passed_on_are_shared_equally() {
        let semaphore = FairSemaphore::new(2, 0);
        let mut running: Vec<(usize, FairPermit)> = Vec::new();
        let mut waiting: Vec<(usize, Taking)> = Vec::new();
        for holder in [0, 0, 0, 1, 2, 3, 4] {
            let semaphore = semaphore.clone();
            waiting.push((holder, Box::pin(async move { semaphore.acquire(holder).await })));
        }
        let mut turns = [0; 5];
        for _ in 0..500 {
            poll(&mut waiting, &mut running);
            assert_eq!(running.len(), 2);
            for (holder, permit) in std::mem::take(&mut running) {
                turns[holder] += 1;
                match permit.is_wanted() {
                    true => waiting.push((holder, Box::pin(permit.pass_on()))),
                    false => running.push((holder, permit)),
                }
                poll(&mut waiting, &mut running);
            }
        }
        assert!(turns.iter().all(|turns| (195..=205).contains(turns)), "{turns:?}");
    }

    #[tokio::test]
    async fn who_passed_a_permit_on_continues_before_the_holder_begins_something_new() {
        let semaphore = FairSemaphore::new(1, 0);
        let first = semaphore.acquire(1).await;
        assert!(!first.is_wanted());
        let mut new: Taking = Box::pin({
            let semaphore = semaphore.clone();
            async move { semaphore.acquire(1).await }
        });
        assert!(new.as_mut().now_or_never().is_none() && !first.is_wanted(), "it is its own");
        let mut other: Taking = Box::pin({
            let semaphore = semaphore.clone();
            async move { semaphore.acquire(2).await }
        });
        assert!(other.as_mut().now_or_never().is_none() && first.is_wanted());
        let mut passed: Taking = Box::pin(first.pass_on());
        assert!(passed.as_mut().now_or_never().is_none());
        drop(other.as_mut().now_or_never().unwrap());
        assert!(new.as_mut().now_or_never().is_none());
        assert!(passed.as_mut().now_or_never().is_some());
    }

    /// A waiting caller.
    type Taking = std::pin::Pin<Box<dyn Future<Output = FairPermit>>>;

    fn poll(waiting: &mut Vec<(usize, Taking)>, taken: &mut Vec<(usize, FairPermit)>) {
        // Twice, as returning one permit may serve a waiter that was polled before.
        for _ in 0..2 {
            waiting.retain_mut(|(who, take)| match take.as_mut().now_or_never() {
                Some(permit) => {
                    taken.push((*who, permit));
                    false
                }
                None => true,
            });
        }
    }

    #[derive(Debug, Clone)]
    enum Step {
        Ask(usize),
        /// Stops waiting.
        Leave(usize),
        End(usize),
        PassOn(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..4_usize).prop_map(Step::Ask),
            any::<usize>().prop_map(Step::Leave),
            any::<usize>().prop_map(Step::End),
            any::<usize>().prop_map(Step::PassOn)
        ]
    }

    proptest! {
        #[test]
        fn no_permit_is_lost(
            permits in 1..4_usize,
            extra in 0..2_usize,
            steps in prop::collection::vec(step(), 0..200),
        ) {
            let semaphore = FairSemaphore::new(permits, extra);
            let mut waiting: Vec<(usize, Taking)> = Vec::new();
            let mut taken: Vec<(usize, FairPermit)> = Vec::new();
            for step in steps {
                match step {
                    Step::Ask(who) => {
                        let semaphore = semaphore.clone();
                        waiting.push((who, Box::pin(async move { semaphore.acquire(who).await })));
                    }
                    Step::Leave(which) if !waiting.is_empty() => {
                        drop(waiting.remove(which % waiting.len()));
                    }
                    Step::End(which) if !taken.is_empty() => drop(taken.remove(which % taken.len())),
                    Step::PassOn(which) if !taken.is_empty() => {
                        let (who, permit) = taken.remove(which % taken.len());
                        waiting.push((who, Box::pin(permit.pass_on())));
                    }
                    _ => {}
                }
                poll(&mut waiting, &mut taken);
                prop_assert!(taken.len() <= permits + extra);
                let has_one = |who: usize| taken.iter().any(|(it, _)| *it == who);
                if taken.len() < permits {
                    prop_assert!(waiting.is_empty());
                } else if taken.len() < permits + extra {
                    prop_assert!(waiting.iter().all(|(who, _)| has_one(*who)));
                }
            }
            drop(waiting);
            drop(taken);
            let state = semaphore.state();
            prop_assert!(state.taken == 0);
            prop_assert!(state.holders.values().all(|share| share.taken == 0));
        }
    }
}
