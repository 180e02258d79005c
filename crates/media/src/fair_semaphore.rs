//! A semaphore for the encoders that is fair between organizations.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;
use tonearm_domain::OrganizationId;

/// A semaphore with one permit for each encoder, fair between organizations. Clones share the permits.
///
/// A free permit goes to the organization that has the fewest, then to the one that was served longest ago, then to the
/// waiter that has waited longest. An organization without a permit may take one beyond the limit, so that it does not
/// wait for the long files of others. The processors are then shared by one more process, which has priority.
#[derive(Debug, Clone)]
pub(crate) struct FairSemaphore(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    encoders: usize,
    /// Permits that are taken.
    taken: usize,
    organizations: HashMap<OrganizationId, Share>,
    /// In order of arrival.
    waiting: Vec<Waiter>,
    /// Counts the permits granted.
    clock: u64,
}

/// An organization's share of the encoders. The entry exists as long as the organization has or waits for a permit.
#[derive(Debug, Default)]
struct Share {
    taken: usize,
    waiting: usize,
    served_at: u64,
}

#[derive(Debug)]
struct Waiter {
    organization: OrganizationId,
    wake: oneshot::Sender<FairPermit>,
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub(crate) struct FairPermit {
    semaphore: FairSemaphore,
    organization: OrganizationId,
    /// Whether it is the extra permit beyond the encoders.
    is_extra: bool,
    is_released: bool,
}

/// The niceness of processes with ordinary permits: the service itself and the process with the extra permit go first.
const NICENESS: i32 = 10;

impl FairPermit {
    /// The niceness of a process that runs with this permit.
    pub(crate) const fn niceness(&self) -> i32 {
        if self.is_extra { 0 } else { NICENESS }
    }
}

impl FairSemaphore {
    /// A semaphore for this many encoders, at least one.
    pub(crate) fn new(encoders: usize) -> Self {
        Self(Arc::new(Mutex::new(State {
            encoders: encoders.max(1),
            taken: 0,
            organizations: HashMap::new(),
            waiting: Vec::new(),
            clock: 0,
        })))
    }

    /// Waits for a permit. If the caller stops waiting, its permit goes to another waiter.
    pub(crate) async fn acquire(&self, organization: OrganizationId) -> FairPermit {
        loop {
            // A sender leaves the list only with a permit.
            if let Ok(permit) = self.enqueue(organization).await {
                return permit;
            }
        }
    }

    fn enqueue(&self, organization: OrganizationId) -> oneshot::Receiver<FairPermit> {
        let (wake, woken) = oneshot::channel();
        let mut state = self.state();
        state.forget_gone();
        state.organizations.entry(organization).or_default().waiting += 1;
        state.waiting.push(Waiter { organization, wake });
        self.grant(state);
        woken
    }

    /// Grants the free permits.
    fn grant(&self, mut state: MutexGuard<'_, State>) {
        while let Some(place) = state.next() {
            let waiter = state.waiting.remove(place);
            let organization = waiter.organization;
            let is_extra = state.taken == state.encoders;
            state.begin(organization);
            state.leave(organization);
            let permit = FairPermit { semaphore: self.clone(), organization, is_extra, is_released: false };
            if let Err(mut unwanted) = waiter.wake.send(permit) {
                // Dropping it would lock the state again.
                unwanted.is_released = true;
                state.end(organization);
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
        let is_crowded = match self.taken.cmp(&self.encoders) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => return None,
        };
        let share = |waiter: &Waiter| {
            self.organizations
                .get(&waiter.organization)
                .map_or((0, 0), |share| (share.taken, share.served_at))
        };
        let waiting = self.waiting.iter().enumerate().map(|(place, waiter)| (share(waiter), place));
        let allowed = waiting.filter(|((taken, _), _)| !is_crowded || *taken == 0);
        allowed.min().map(|(_, place)| place)
    }

    fn begin(&mut self, organization: OrganizationId) {
        self.taken += 1;
        self.clock += 1;
        let share = self.organizations.entry(organization).or_default();
        share.taken += 1;
        share.served_at = self.clock;
    }

    fn end(&mut self, organization: OrganizationId) {
        self.taken -= 1;
        self.change(organization, |share| share.taken -= 1);
    }

    fn leave(&mut self, organization: OrganizationId) {
        self.change(organization, |share| share.waiting -= 1);
    }

    fn change(&mut self, organization: OrganizationId, change: impl FnOnce(&mut Share)) {
        let Some(share) = self.organizations.get_mut(&organization) else { return };
        change(share);
        if share.taken == 0 && share.waiting == 0 {
            self.organizations.remove(&organization);
        }
    }

    /// Removes the waiters that have stopped waiting.
    fn forget_gone(&mut self) {
        let (gone, waiting) = self.waiting.drain(..).partition(|waiter| waiter.wake.is_closed());
        self.waiting = waiting;
        let gone: Vec<Waiter> = gone;
        for waiter in gone {
            self.leave(waiter.organization);
        }
    }
}

impl Drop for FairPermit {
    fn drop(&mut self) {
        if !self.is_released {
            let mut state = self.semaphore.state();
            state.end(self.organization);
            self.semaphore.grant(state);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use proptest::prelude::*;
    use tonearm_fixtures::ambient;

    use super::*;

    fn organizations<const N: usize>() -> [OrganizationId; N] {
        let (ambient, _) = ambient();
        std::array::from_fn(|_| ambient.record_id())
    }

    fn at_once(semaphore: &FairSemaphore, organization: OrganizationId) -> Option<FairPermit> {
        semaphore.acquire(organization).now_or_never()
    }

    #[test]
    fn an_organization_without_a_permit_does_not_wait() {
        let ([many, one, other], semaphore) = (organizations(), FairSemaphore::new(2));
        let taken = [at_once(&semaphore, many).unwrap(), at_once(&semaphore, many).unwrap()];
        assert!(at_once(&semaphore, many).is_none());
        let express = at_once(&semaphore, one).unwrap();
        assert_eq!((taken[0].niceness(), taken[1].niceness(), express.niceness()), (10, 10, 0));
        assert!(at_once(&semaphore, other).is_none(), "there is one more, not one for everybody");
        drop(express);
        drop(taken);
        assert!(semaphore.state().organizations.is_empty() && semaphore.state().taken == 0);
    }

    #[tokio::test]
    async fn organizations_alternate() {
        let ([first, second], semaphore) = (organizations(), FairSemaphore::new(1));
        let mut running = vec![semaphore.acquire(first).await, semaphore.acquire(second).await];
        let (sender, mut served) = tokio::sync::mpsc::unbounded_channel();
        for organization in [first, first, first, second, second, second] {
            let (semaphore, sender) = (semaphore.clone(), sender.clone());
            tokio::spawn(async move {
                let permit = semaphore.acquire(organization).await;
                sender.send((organization, permit)).unwrap();
            });
            tokio::task::yield_now().await;
        }
        let mut order = Vec::new();
        while order.len() < 6 {
            running.remove(0);
            let (organization, permit) = served.recv().await.unwrap();
            order.push(organization);
            running.push(permit);
        }
        assert_eq!(order, [first, second, first, second, first, second]);
    }

    /// A waiting caller.
    type Taking = std::pin::Pin<Box<dyn Future<Output = FairPermit>>>;

    #[derive(Debug, Clone)]
    enum Step {
        Ask(usize),
        /// Stops waiting.
        Leave(usize),
        End(usize),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..4_usize).prop_map(Step::Ask),
            any::<usize>().prop_map(Step::Leave),
            any::<usize>().prop_map(Step::End)
        ]
    }

    proptest! {
        #[test]
        fn no_permit_is_lost(encoders in 1..4_usize, steps in prop::collection::vec(step(), 0..200)) {
            let (everybody, semaphore) = (organizations::<4>(), FairSemaphore::new(encoders));
            let mut waiting: Vec<(usize, Taking)> = Vec::new();
            let mut taken: Vec<(usize, FairPermit)> = Vec::new();
            for step in steps {
                match step {
                    Step::Ask(who) => {
                        let (semaphore, organization) = (semaphore.clone(), everybody[who]);
                        waiting.push((who, Box::pin(async move { semaphore.acquire(organization).await })));
                    }
                    Step::Leave(which) if !waiting.is_empty() => {
                        drop(waiting.remove(which % waiting.len()));
                    }
                    Step::End(which) if !taken.is_empty() => drop(taken.remove(which % taken.len())),
                    _ => {}
                }
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
                prop_assert!(taken.len() <= encoders + 1);
                let has_one = |who: usize| taken.iter().any(|(it, _)| *it == who);
                if taken.len() < encoders {
                    prop_assert!(waiting.is_empty());
                } else if taken.len() == encoders {
                    prop_assert!(waiting.iter().all(|(who, _)| has_one(*who)));
                }
            }
            drop(waiting);
            drop(taken);
            let state = semaphore.state();
            prop_assert!(state.taken == 0);
            prop_assert!(state.organizations.values().all(|share| share.taken == 0));
        }
    }
}
