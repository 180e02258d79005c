//! Objects that were found in the store.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::time::Instant;
use tonearm_domain::ObjectKey;

use crate::error::BlobError;
use crate::object::ObjectMeta;

/// Objects remembered at most beside those on disk; each takes some 200 bytes.
const MOST_KNOWN: u64 = 100_000;

pub(super) struct KnownObjects {
    kept: Cache<ObjectKey, Arc<KnownObject>>,
    recheck: Duration,
}

struct KnownObject {
    meta: ObjectMeta,
    /// When the store was last asked.
    asked: Mutex<Option<Instant>>,
}

impl KnownObjects {
    pub(super) fn new(recheck: Duration) -> Self {
        let kept = Cache::builder().max_capacity(MOST_KNOWN).eviction_policy(EvictionPolicy::lru()).build();
        Self { kept, recheck }
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.kept.get(key).map(|known| known.meta)
    }

    /// Notes what the store said just now.
    pub(super) fn keep(&self, key: &ObjectKey, meta: ObjectMeta) {
        self.insert(key, meta, Some(Instant::now()));
    }

    /// Notes what was known of it before this process was started, or so long ago that it is to be asked again.
    pub(super) fn keep_unasked(&self, key: &ObjectKey, meta: ObjectMeta) {
        self.insert(key, meta, None);
    }

    fn insert(&self, key: &ObjectKey, meta: ObjectMeta, asked: Option<Instant>) {
        self.kept.insert(key.clone(), Arc::new(KnownObject { meta, asked: Mutex::new(asked) }));
    }

    pub(super) fn forget(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.kept.remove(key).map(|known| known.meta)
    }

    pub(super) fn keys(&self) -> Vec<ObjectKey> {
        self.kept.iter().map(|(key, _)| ObjectKey::clone(&key)).collect()
    }

    /// Whether the store was asked within that time.
    pub(super) fn was_asked_within(&self, key: &ObjectKey, time: Duration) -> bool {
        self.kept.get(key).is_some_and(|known| {
            let asked = *known.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.is_some_and(|asked| asked.elapsed() < time)
        })
    }

    /// Whether the store is to be asked again; whoever is told so does it, and nobody else until it is due again.
    pub(super) fn is_due(&self, key: &ObjectKey) -> bool {
        let Some(known) = self.kept.get(key) else { return false };
        let mut asked = known.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let due = asked.is_none_or(|asked| asked.elapsed() >= self.recheck);
        if due {
            *asked = Some(Instant::now());
        }
        due
    }
}

/// What the store says of an object.
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
            Self::Failed(error) => Err(shared(error)),
        }
    }
}

/// An error that several are told.
pub(super) fn shared(error: Arc<BlobError>) -> BlobError {
    BlobError::unavailable("the object store is unreachable or does not work", error)
}

/// Questions that the store is being asked. Whoever has the same one waits for the same answer; no answer is kept.
pub(super) struct PendingLookups(moka::future::Cache<ObjectKey, ()>);

impl PendingLookups {
    pub(super) fn new() -> Self {
        Self(moka::future::Cache::new(1))
    }

    pub(super) async fn ask(&self, key: &ObjectKey, question: impl Future<Output = Lookup>) -> Lookup {
        // What is an error here is shared among those who wait, and forgotten.
        match self.0.try_get_with_by_ref(key, async { Err(question.await) }).await {
            Ok(()) => Lookup::Missing,
            Err(answer) => Lookup::clone(&answer),
        }
    }
}
