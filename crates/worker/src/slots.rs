//! The slots of one class of jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tonearm_domain::{OrganizationId, room};

/// How many times as many slots there are as one organization may use.
const ORGANIZATIONS: usize = 8;

/// The slots of one class of jobs. Clones share them.
///
/// An organization uses as many as are configured. There are more in all, shared by the rule of [`room`], so that an
/// organization whose jobs take long does not delay others.
#[derive(Debug, Clone)]
pub(crate) struct Slots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    configured: usize,
    free: Arc<Semaphore>,
    running: Mutex<HashMap<OrganizationId, usize>>,
    freed: Notify,
}

impl Slots {
    /// The number of slots in all if `configured` are requested.
    pub(crate) fn count(configured: usize) -> usize {
        configured.max(1).saturating_mul(ORGANIZATIONS).min(Semaphore::MAX_PERMITS / 8)
    }

    /// Creates slots of which an organization may use `configured`.
    pub(crate) fn new(configured: usize) -> Self {
        let free = Arc::new(Semaphore::new(Self::count(configured)));
        Self(Arc::new(Inner { configured, free, running: Mutex::default(), freed: Notify::new() }))
    }

    /// Waits for a slot.
    pub(crate) async fn take(&self) -> Slot {
        // Never closed, so that waiting never fails.
        let permit = Arc::clone(&self.0.free).acquire_owned().await.ok();
        Slot { slots: self.clone(), permit, used_by: None }
    }

    /// Returns when a job has ended, even if it ended since the last call.
    pub(crate) async fn freed(&self) {
        self.0.freed.notified().await;
    }

    fn running(&self) -> MutexGuard<'_, HashMap<OrganizationId, usize>> {
        self.0.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A slot, for as long as a job runs in it.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Slots,
    permit: Option<OwnedSemaphorePermit>,
    used_by: Option<OrganizationId>,
}

impl Slot {
    /// The organizations whose jobs may not run in it, because they use as many as they may.
    pub(crate) fn excluded(&self) -> Vec<OrganizationId> {
        let (running, configured) = (self.slots.running(), self.slots.0.configured);
        let (most, taken) = (Slots::count(configured) as u64, running.values().sum::<usize>() as u64);
        let has_share = |own: usize| own >= configured.max(1) || room(most, taken, own as u64) == 0;
        running.iter().filter(|(_, own)| has_share(**own)).map(|(organization, _)| *organization).collect()
    }

    /// Counts the job that runs in it towards an organization.
    pub(crate) fn assign_to(&mut self, organization: OrganizationId) {
        *self.slots.running().entry(organization).or_default() += 1;
        self.used_by = Some(organization);
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // Released first, so that a task that is notified finds it free.
        drop(self.permit.take());
        let Some(organization) = self.used_by else { return };
        let mut running = self.slots.running();
        if let Some(count) = running.get_mut(&organization) {
            *count -= 1;
            if *count == 0 {
                running.remove(&organization);
            }
        }
        drop(running);
        self.slots.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;
    use tonearm_fixtures::ambient;

    use super::*;

    #[tokio::test]
    async fn there_is_always_a_slot_for_an_organization_that_has_none() {
        let (ambient, _) = ambient();
        let organizations: [OrganizationId; 20] = std::array::from_fn(|_| ambient.record_id());
        let slots = Slots::new(2);
        let mut taken: HashMap<OrganizationId, Vec<Slot>> = HashMap::new();
        // Each takes what it gets.
        for organization in organizations {
            while let Some(mut slot) = slots.take().now_or_never() {
                if slot.excluded().contains(&organization) {
                    break;
                }
                slot.assign_to(organization);
                taken.entry(organization).or_default().push(slot);
            }
        }
        let counts = organizations.map(|organization| taken.get(&organization).map_or(0, Vec::len));
        assert_eq!(counts[..10], [2, 2, 2, 2, 2, 2, 2, 1, 1, 0]);
        assert!(slots.take().now_or_never().is_none(), "there is an end");
        // Who has one leaves a slot that becomes free to those who have none.
        drop(taken.get_mut(&organizations[0]).and_then(Vec::pop));
        slots.freed().await;
        let next = slots.take().await;
        assert_eq!(next.excluded().len(), 9);
        drop((next, taken));
        assert!(slots.running().is_empty());
    }
}
