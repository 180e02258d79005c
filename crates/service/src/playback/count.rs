//! Counting what is handed out.

use tonearm_domain::{Track, UsageCounts, VariantIndex};

use super::Playback;

impl Playback {
    /// Counts for a track, or for one of its variants.
    pub(super) fn count(&self, track: &Track, variant: Option<&VariantIndex>, counts: UsageCounts) {
        self.0.meter.count(track.organization_id, track.index, variant, counts, self.0.ambient.now());
    }
}
