//! The slots of one class of jobs.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tonearm_domain::OrganizationId;

/// The slots of one class of jobs. Clones share them.
///
/// The last free slot is reserved for organizations that have no job in another slot, so that an organization whose
/// jobs take long does not delay all others.
#[derive(Debug, Clone)]
pub(crate) struct Slots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    free: Arc<Semaphore>,
    running: Mutex<HashMap<OrganizationId, usize>>,
    freed: Notify,
}

impl Slots {
    /// The number of slots if `configured` are requested: one more, which is reserved.
    pub(crate) const fn count(configured: usize) -> usize {
        configured.saturating_add(1)
    }

    /// Creates `configured` slots, and the reserved one.
    pub(crate) fn new(configured: usize) -> Self {
        let free = Arc::new(Semaphore::new(Self::count(configured).min(Semaphore::MAX_PERMITS)));
        Self(Arc::new(Inner { free, running: Mutex::default(), freed: Notify::new() }))
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
    /// The organizations whose jobs may not run in it.
    pub(crate) fn excluded(&self) -> Vec<OrganizationId> {
        match self.slots.0.free.available_permits() {
            0 => self.slots.running().keys().copied().collect(),
            _ => Vec::new(),
        }
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
    use tonearm_fixtures::ambient;

    use super::*;

    #[tokio::test]
    async fn the_last_slot_is_kept_for_others() {
        let (ambient, _) = ambient();
        let (first, second): (OrganizationId, OrganizationId) = (ambient.record_id(), ambient.record_id());
        let slots = Slots::new(2);
        let mut taken = Vec::new();
        for _ in 0..2 {
            let mut slot = slots.take().await;
            assert_eq!(slot.excluded(), []);
            slot.assign_to(first);
            taken.push(slot);
        }
        let mut last = slots.take().await;
        assert_eq!(last.excluded(), [first]);
        last.assign_to(second);
        // When other jobs end, it becomes an ordinary slot.
        drop(taken.pop());
        slots.freed().await;
        let next = slots.take().await;
        assert_eq!(next.excluded().len(), 2);
        drop(taken);
        assert_eq!(next.excluded(), []);
        drop((last, next));
        assert!(slots.running().is_empty());
    }
}
