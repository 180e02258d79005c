//! Asking the store whether what is here still exists.

use std::collections::HashSet;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::{StreamExt, stream};
use tokio::time::{MissedTickBehavior, interval};
use tonearm_domain::ObjectKey;

use super::disk::Disk;
use super::{CachedStore, Shared};

/// Objects that the store is asked about at once in the background.
const AT_ONCE: usize = 8;

impl CachedStore {
    /// Asks the store again, in the background, where it is time to; the object is served meanwhile.
    pub(super) fn recheck_if_due(&self, key: &ObjectKey) {
        if self.0.known.begin_check_if_due(key) {
            let (cache, key) = (self.clone(), key.clone());
            tokio::spawn(async move { cache.recheck_now(&key).await });
        }
    }

    /// Removes an object that the store does not have any more. Where the store does not say so, nothing changes.
    async fn recheck_now(&self, key: &ObjectKey) {
        if let Ok(None) = self.0.store.head(key).await {
            self.forget(key);
        }
    }

    /// All objects of which something is here, in the same order each time, so that none waits for two rounds.
    fn objects(&self) -> Vec<ObjectKey> {
        let on_disk = self.0.disk.as_ref().map(Disk::objects).unwrap_or_default();
        let all: HashSet<_> = on_disk.into_iter().chain(self.0.known.keys()).collect();
        let mut all: Vec<_> = all.into_iter().collect();
        all.sort_by_cached_key(ObjectKey::to_string);
        all
    }

    /// Has every object looked for once in each `period`, evenly spread, as long as the cache is in use. So what was
    /// deleted elsewhere goes even if nobody asks for it again.
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
        // A store that is slow is not asked faster afterwards.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The first tick is at once. A round without objects takes its time too.
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
