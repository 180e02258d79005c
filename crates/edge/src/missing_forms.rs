//! Forms of covers that the store does not have: those of covers from before there were such forms, and those that
//! would not be smaller.

use moka::sync::Cache;
use tonearm_domain::{ObjectKey, Timestamp};
use tonearm_telemetry::Cache as CacheName;

/// Maximum number of remembered forms. Each takes about 200 bytes.
const MOST: u64 = 50_000;

/// How long a form is remembered, in seconds: a new cover gets its other forms soon after it is first requested.
const LIFETIME_SECONDS: i64 = 60;

/// Saves a lookup in the store for every request of a client that accepts a form that does not exist.
#[derive(Clone)]
pub(crate) struct MissingForms(Cache<ObjectKey, Timestamp>);

impl MissingForms {
    pub(crate) fn new() -> Self {
        Self(Cache::new(MOST))
    }

    /// Whether the store recently reported that this form does not exist.
    pub(crate) fn has(&self, key: &ObjectKey, now: Timestamp) -> bool {
        let is_missing = self.0.get(key).is_some_and(|until| now < until);
        tonearm_telemetry::looked_up(CacheName::MissingCovers, is_missing);
        is_missing
    }

    pub(crate) fn note(&self, key: ObjectKey, now: Timestamp) {
        self.0.insert(key, now.plus_seconds(LIFETIME_SECONDS));
    }
}
