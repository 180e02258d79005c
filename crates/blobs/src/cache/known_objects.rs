//! Objects that the store is known to have.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::time::Instant;
use tonearm_domain::ObjectKey;

use crate::error::BlobError;
use crate::object::ObjectMeta;

/// Maximum number of remembered objects, besides those on disk. Each takes about 200 bytes.
const MOST_KNOWN: u64 = 100_000;

pub(super) struct KnownObjects {
    objects: Cache<ObjectKey, Arc<KnownObject>>,
    recheck: Duration,
}

struct KnownObject {
    meta: ObjectMeta,
    /// When the store was last asked about it.
    checked_at: Mutex<Option<Instant>>,
}

impl KnownObjects {
    pub(super) fn new(recheck: Duration) -> Self {
        let objects =
            Cache::builder().max_capacity(MOST_KNOWN).eviction_policy(EvictionPolicy::lru()).build();
        Self { objects, recheck }
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.objects.get(key).map(|known| known.meta)
    }

    /// Records metadata that the store has just returned. No object is empty for long: one that is empty now is asked
    /// for again by the next reader.
    pub(super) fn insert(&self, key: &ObjectKey, meta: ObjectMeta) {
        if meta.size > 0 {
            self.insert_checked_at(key, meta, Some(Instant::now()));
        }
    }

    /// Records metadata from before this process started, or from so long ago that the store has to be asked again.
    pub(super) fn insert_unchecked(&self, key: &ObjectKey, meta: ObjectMeta) {
        self.insert_checked_at(key, meta, None);
    }

    fn insert_checked_at(&self, key: &ObjectKey, meta: ObjectMeta, checked_at: Option<Instant>) {
        self.objects.insert(key.clone(), Arc::new(KnownObject { meta, checked_at: Mutex::new(checked_at) }));
    }

    pub(super) fn forget(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.objects.remove(key).map(|known| known.meta)
    }

    pub(super) fn keys(&self) -> Vec<ObjectKey> {
        self.objects.iter().map(|(key, _)| ObjectKey::clone(&key)).collect()
    }

    /// Whether the store was asked about an object within that time.
    pub(super) fn was_checked_within(&self, key: &ObjectKey, time: Duration) -> bool {
        self.objects.get(key).is_some_and(|known| {
            let checked_at = *known.checked_at.lock().unwrap_or_else(PoisonError::into_inner);
            checked_at.is_some_and(|checked_at| checked_at.elapsed() < time)
        })
    }

    /// Whether the store has to be asked again. Records that it is asked now, so that only one of several callers does
    /// it.
    pub(super) fn begin_check_if_due(&self, key: &ObjectKey) -> bool {
        let Some(known) = self.objects.get(key) else { return false };
        let mut checked_at = known.checked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = checked_at.is_none_or(|checked_at| checked_at.elapsed() >= self.recheck);
        if is_due {
            *checked_at = Some(Instant::now());
        }
        is_due
    }
}

/// The result of looking up an object in the store.
#[derive(Debug, Clone)]
pub(super) enum Lookup {
    Found(ObjectMeta),
    Missing,
    Failed(Arc<BlobError>),
}

impl Lookup {
    pub(super) fn into_meta(self) -> Result<Option<ObjectMeta>, BlobError> {
        match self {
            Self::Found(meta) => Ok(Some(meta)),
            Self::Missing => Ok(None),
            Self::Failed(error) => Err(shared_error(error)),
        }
    }
}

/// An error that several callers share.
pub(super) fn shared_error(error: Arc<BlobError>) -> BlobError {
    BlobError::unavailable("the object store is unreachable or does not work", error)
}

/// Requests to the store about objects. Callers that ask about the same object share one request. Its result is not
/// cached here.
pub(super) struct PendingLookups(moka::future::Cache<ObjectKey, ()>);

impl PendingLookups {
    pub(super) fn new() -> Self {
        Self(moka::future::Cache::new(1))
    }

    pub(super) async fn join_or_start(
        &self,
        key: &ObjectKey,
        lookup: impl Future<Output = Lookup>,
    ) -> Lookup {
        // The cache shares an error among the waiting callers without storing it, so every result is passed as an
        // error.
        match self.0.try_get_with_by_ref(key, async { Err(lookup.await) }).await {
            Ok(()) => Lookup::Missing,
            Err(answer) => Lookup::clone(&answer),
        }
    }
}
