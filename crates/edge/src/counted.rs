//! Counting what is delivered.

use std::sync::Arc;

use tonearm_domain::{Ambient, Meter, ObjectKey, UsageCounts};

/// What deliveries are counted with.
pub(crate) struct Counter {
    pub(crate) meter: Meter,
    pub(crate) ambient: Ambient,
}

/// Counts one delivery of an object.
#[derive(Clone)]
pub(crate) struct Tally {
    pub(crate) counter: Arc<Counter>,
    pub(crate) key: Arc<ObjectKey>,
    /// The next byte is the first of the object, which counts as a start.
    pub(crate) is_start: bool,
}

impl Tally {
    /// Counts bytes that are handed over.
    pub(crate) fn add(&mut self, bytes: usize) {
        let starts = u64::from(std::mem::take(&mut self.is_start));
        let counts = UsageCounts { starts, ..UsageCounts::bytes(bytes as u64) };
        let Counter { meter, ambient } = &*self.counter;
        let ObjectKey { organization_id, folder, file } = &*self.key;
        meter.count(*organization_id, *folder, Some(&file.label), counts, ambient.now());
    }
}
