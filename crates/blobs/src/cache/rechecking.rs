//! Checks with the store whether cached objects still exist, and are still the same.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::time::{MissedTickBehavior, interval};
use tonearm_domain::ObjectKey;

use super::disk::Disk;
use super::{CachedStore, Shared};

/// Concurrent checks in the background.
const AT_ONCE: usize = 8;

impl CachedStore {
    /// Checks an object in the background if its check is due. The object is served meanwhile.
    pub(super) fn recheck_if_due(&self, key: &ObjectKey) {
        if self.0.known.begin_check_if_due(key) {
            let (cache, key) = (self.clone(), key.clone());
            tokio::spawn(async move { cache.recheck_now(&key).await });
        }
    }

    /// Removes an object if the store no longer has it, or has it with another length, date or version: a damaged
    /// object was replaced by a sound one, or the other way round. If the store fails, nothing changes.
    async fn recheck_now(&self, key: &ObjectKey) {
        let Ok(stored) = self.0.store.head(key).await else { return };
        if stored != self.kept_meta(key) {
            self.forget(key);
        }
    }

    /// All cached objects, in the same order each time, so that none waits for two rounds.
    fn objects(&self) -> Vec<ObjectKey> {
        let on_disk = self.0.disk.as_ref().map(Disk::objects).unwrap_or_default();
        let all: HashSet<_> = on_disk.into_iter().chain(self.0.known.keys()).collect();
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_cached_key(ObjectKey::to_string);
        all
    }

    /// Checks every cached object once in each `period`, evenly spread, as long as the cache is in use. So objects that
    /// were deleted elsewhere are removed even if no client requests them again.
    pub(super) fn recheck_all(&self, period: Duration) {
        tokio::spawn(recheck_rounds(Arc::downgrade(&self.0), period));
    }
}

async fn recheck_rounds(cache: Weak<Shared>, period: Duration) {
    loop {
        let Some(shared) = cache.upgrade() else { return };
        let objects = CachedStore(shared).objects();
        let steps = u32::try_from(objects.len()).unwrap_or(u32::MAX).saturating_add(1);
        let mut ticks = interval((period / steps).max(Duration::from_micros(1)));
        // Checks that a slow store delayed are not made up for by faster ones.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick is immediate. A round without objects takes the whole period too.
        ticks.tick().await;
        ticks.tick().await;
        let objects = stream::unfold((ticks, objects.into_iter()), |(mut ticks, mut objects)| async move {
            let key = objects.next()?;
            ticks.tick().await;
            Some((key, (ticks, objects)))
        });
        let round = objects.for_each_concurrent(AT_ONCE, |key| {
            let cache = cache.upgrade().map(CachedStore);
            async move {
                if let Some(cache) = cache.filter(|cache| !cache.0.known.was_checked_within(&key, period / 4))
                {
                    cache.recheck_now(&key).await;
                }
            }
        });
        round.await;
    }
}
