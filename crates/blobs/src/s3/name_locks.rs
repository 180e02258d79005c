//! Locks on object names: one put of a name at a time, held until a failed put is cleaned up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use object_store::path::Path;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::error::BlobError;

/// How long a put waits for an earlier one of the same name. A clean-up takes longer only while the bucket is
/// unreachable.
const PATIENCE: Duration = Duration::from_secs(30);

/// The locks in use in this process, by name.
#[derive(Default)]
pub(super) struct NameLocks(Mutex<HashMap<Path, Weak<AsyncMutex<()>>>>);

/// A locked name: no other put may use it until all clones are dropped.
#[derive(Clone)]
pub(super) struct NameGuard(Arc<LockedName>);

struct LockedName {
    path: Path,
    _guard: OwnedMutexGuard<()>,
}

impl NameGuard {
    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }
}

impl NameLocks {
    /// Waits until the name is free, and locks it. Fails after 30 seconds.
    pub(super) async fn lock(&self, path: Path) -> Result<NameGuard, BlobError> {
        let guard = tokio::time::timeout(PATIENCE, self.lock_of(&path).lock_owned()).await;
        let guard = guard.map_err(|error| {
            BlobError::unavailable("an earlier attempt to store the same object is not cleaned up yet", error)
        })?;
        Ok(NameGuard(Arc::new(LockedName { path, _guard: guard })))
    }

    fn lock_of(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut locks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = locks.get(path).and_then(Weak::upgrade) {
            return lock;
        }
        // There are never more locks than running puts and clean-ups.
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::default();
        locks.insert(path.clone(), Arc::downgrade(&lock));
        lock
    }
}
