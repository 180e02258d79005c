//! When keys were last used: noted in memory, written down now and then.

use std::collections::HashMap;
use std::mem;
use std::sync::{Mutex, PoisonError};

use tonearm_domain::{ApiKeyId, Timestamp};

/// The keys that were used since the last time this was written down.
#[derive(Default)]
pub(super) struct KeyUse(Mutex<HashMap<ApiKeyId, Timestamp>>);

impl KeyUse {
    pub(super) fn note(&self, id: ApiKeyId, now: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, now);
    }

    pub(super) fn take(&self) -> Vec<(ApiKeyId, Timestamp)> {
        let noted = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let mut noted: Vec<_> = noted.into_iter().collect();
        // Always in the same order, so that two nodes that write the same rows do not wait for each other in a circle.
        noted.sort_unstable();
        noted
    }

    /// Notes again what could not be written down, where nothing newer was noted meanwhile.
    pub(super) fn put_back(&self, noted: Vec<(ApiKeyId, Timestamp)>) {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (id, at) in noted {
            current.entry(id).or_insert(at);
        }
    }
}
