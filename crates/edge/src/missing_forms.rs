//! Forms of covers that the store was asked for in vain: covers from before there were such forms, and those whose
//! other form is not smaller.

use moka::sync::Cache;
use tonearm_domain::{ObjectKey, Timestamp};
use tonearm_telemetry::Cache as CacheName;

/// Forms remembered at most; each takes some 200 bytes.
const MOST: u64 = 50_000;

/// How long one stays remembered, in seconds: a new cover gets its other forms soon after it is first asked for.
const LIFETIME_SECONDS: i64 = 60;

/// Spares the store a question for every request of a client that takes more forms than there are.
#[derive(Clone)]
pub(crate) struct MissingForms(Cache<ObjectKey, Timestamp>);

impl MissingForms {
    pub(crate) fn new() -> Self {
        Self(Cache::new(MOST))
    }

    /// Whether the store said lately that this is not there.
    pub(crate) fn has(&self, key: &ObjectKey, now: Timestamp) -> bool {
        let is_missing = self.0.get(key).is_some_and(|until| now < until);
        tonearm_telemetry::looked_up(CacheName::MissingCovers, is_missing);
        is_missing
    }

    pub(crate) fn note(&self, key: ObjectKey, now: Timestamp) {
        self.0.insert(key, now.plus_seconds(LIFETIME_SECONDS));
    }
}
