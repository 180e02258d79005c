//! Counting what is delivered.

use tonearm_domain::{Ambient, Meter, ObjectKey, UsageCounts};

/// Counts one delivery of an object.
#[derive(Clone)]
pub(crate) struct Tally {
    pub(crate) meter: Meter,
    pub(crate) ambient: Ambient,
    pub(crate) key: ObjectKey,
    /// The next byte is the first of the object, which counts as a start.
    pub(crate) is_start: bool,
}

impl Tally {
    /// Counts bytes that are handed over.
    pub(crate) fn add(&mut self, bytes: usize) {
        let starts = u64::from(std::mem::take(&mut self.is_start));
        let counts = UsageCounts { starts, ..UsageCounts::bytes(bytes as u64) };
        let ObjectKey { organization_id, folder, file } = &self.key;
        self.meter.count(*organization_id, *folder, Some(&file.label), counts, self.ambient.now());
    }
}
