//! Files that are kept open, since opening one costs more than sending a part of it.

use std::fmt;
use std::sync::Arc;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tonearm_domain::ObjectKey;

use super::open_file::OpenFile;

/// Files kept open at most. Each costs a descriptor and addresses, no memory of its own.
const MOST_OPEN: u64 = 2000;

/// The files used last, by their objects' names.
pub(super) struct OpenFiles {
    kept: Cache<ObjectKey, Arc<OpenFile>>,
}

impl OpenFiles {
    pub(super) fn new() -> Self {
        let kept = Cache::builder().max_capacity(MOST_OPEN).eviction_policy(EvictionPolicy::lru());
        Self { kept: kept.build() }
    }

    /// The object's file, if it is open and still there.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<OpenFile>> {
        let open = self.kept.get(key)?;
        if open.is_current() {
            return Some(open);
        }
        self.kept.invalidate(key);
        None
    }

    pub(super) fn keep(&self, key: &ObjectKey, open: &Arc<OpenFile>) {
        self.kept.insert(key.clone(), Arc::clone(open));
    }

    /// Closes the file as soon as nobody reads it.
    pub(super) fn forget(&self, key: &ObjectKey) {
        if let Some(open) = self.kept.remove(key) {
            open.retire();
        }
    }
}

impl fmt::Debug for OpenFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFiles").field("count", &self.kept.entry_count()).finish()
    }
}
