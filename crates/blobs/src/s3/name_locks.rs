//! Locks on object names: one put of a name at a time, held until a failed put is cleaned up.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use object_store::path::Path;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::error::BlobError;

/// How long a put waits for an earlier one of the same name. A clean-up takes longer only while the bucket is away.
const PATIENCE: Duration = Duration::from_secs(30);

/// The names in use in this process.
#[derive(Default)]
pub(super) struct Names(Mutex<HashMap<Path, Weak<AsyncMutex<()>>>>);

/// A name that no other put may use. It is free again when all clones are dropped.
#[derive(Clone)]
pub(super) struct HeldName(Arc<Held>);

struct Held {
    path: Path,
    _turn: OwnedMutexGuard<()>,
}

impl HeldName {
    pub(super) fn path(&self) -> &Path {
        &self.0.path
    }
}

impl Names {
    /// Waits until the name is free. An error after 30 seconds.
    pub(super) async fn hold(&self, path: Path) -> Result<HeldName, BlobError> {
        let turn = tokio::time::timeout(PATIENCE, self.turns(&path).lock_owned()).await;
        let turn = turn.map_err(|error| {
            BlobError::unavailable("an earlier attempt to store the same object is not cleaned up yet", error)
        })?;
        Ok(HeldName(Arc::new(Held { path, _turn: turn })))
    }

    fn turns(&self, path: &Path) -> Arc<AsyncMutex<()>> {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(turns) = names.get(path).and_then(Weak::upgrade) {
            return turns;
        }
        // There are never more than puts and clean-ups at work.
        names.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::default();
        names.insert(path.clone(), Arc::downgrade(&turns));
        turns
    }
}
