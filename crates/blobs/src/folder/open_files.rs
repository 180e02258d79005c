//! Files that are kept open, since opening one costs more than sending a part of it.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::task::spawn_blocking;
use tonearm_domain::ObjectKey;
use tonearm_telemetry::Cache as CacheName;

use super::open_file::OpenFile;

/// Maximum number of open files. Each takes a file descriptor and address space. Only small files are also copied into
/// memory.
const MOST_OPEN: u64 = 2000;

/// How often open files that no client requests are checked for deletion.
const CLOSE_EVERY: Duration = Duration::from_secs(600);

/// The most recently used files, by their objects' names.
pub(super) struct OpenFiles {
    cache: Cache<ObjectKey, Arc<OpenFile>>,
}

impl OpenFiles {
    pub(super) fn new() -> Self {
        let cache = Cache::builder().max_capacity(MOST_OPEN).eviction_policy(EvictionPolicy::lru());
        Self { cache: cache.build() }
    }

    /// The object's file, if it is open and still exists.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<Arc<OpenFile>> {
        let cached = self.cache.get(key);
        let current = cached.as_ref().filter(|open| open.is_current()).map(Arc::clone);
        tonearm_telemetry::looked_up(CacheName::OpenFiles, current.is_some());
        if cached.is_some() && current.is_none() {
            self.cache.invalidate(key);
        }
        current
    }

    pub(super) fn keep(&self, key: &ObjectKey, open: &Arc<OpenFile>) {
        self.cache.insert(key.clone(), Arc::clone(open));
    }

    /// Closes the files that are no longer objects, as soon as they have no readers. Blocks, as it asks the file system
    /// about each.
    fn close_deleted(&self) {
        for (key, open) in &self.cache {
            if !open.is_there() {
                self.cache.invalidate(&*key);
            }
        }
        // Until this runs, the files are only marked.
        self.cache.run_pending_tasks();
    }

    /// Regularly closes files that were deleted by other processes, as long as the store is in use: an open file keeps
    /// its space on the disk.
    pub(super) async fn close_deleted_regularly(files: Weak<Self>) {
        loop {
            tokio::time::sleep(CLOSE_EVERY).await;
            let Some(files) = files.upgrade() else { return };
            // An error is a panic, which was logged.
            let _ = spawn_blocking(move || files.close_deleted()).await;
        }
    }

    /// Closes the file as soon as it has no readers.
    pub(super) fn forget(&self, key: &ObjectKey) {
        if let Some(open) = self.cache.remove(key) {
            open.retire();
        }
    }
}

impl fmt::Debug for OpenFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFiles").field("count", &self.cache.entry_count()).finish()
    }
}
