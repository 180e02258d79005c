//! When keys were last used: recorded in memory, and periodically written to the database.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use tonearm_domain::{ApiKeyId, Timestamp};

/// The keys that were used since the last write to the database.
#[derive(Default)]
pub(super) struct KeyUse(Mutex<HashMap<ApiKeyId, Timestamp>>);

impl KeyUse {
    pub(super) fn note(&self, id: ApiKeyId, now: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, now);
    }

    pub(super) fn take(&self) -> Vec<(ApiKeyId, Timestamp)> {
        let noted = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut noted: Vec<_> = noted.into_iter().collect();
        // Sorted, so that two nodes that write the same rows do not deadlock.
        noted.sort_unstable();
        noted
    }

    /// Adds entries back that could not be written, unless a newer one was recorded meanwhile.
    pub(super) fn put_back(&self, noted: Vec<(ApiKeyId, Timestamp)>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at) in noted {
            current.entry(id).or_insert(at);
        }
    }
}
