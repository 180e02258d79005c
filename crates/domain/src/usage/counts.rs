//! Usage counts.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// Counts of events, and of delivered bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default)]
pub struct UsageCounts {
    /// Share links that were redirected to a file.
    pub stream_redirects: u64,
    /// Tracks fetched in play sessions.
    pub track_fetches: u64,
    /// Download URLs returned.
    pub downloads: u64,
    /// Deliveries of sound that started with the first byte of a file.
    pub starts: u64,
    /// Bytes of files that were delivered.
    pub bytes: u64,
}

impl UsageCounts {
    /// One share link that was redirected to a file.
    pub const STREAM_REDIRECT: Self = Self { stream_redirects: 1, ..Self::NONE };
    /// One track fetched in a play session.
    pub const TRACK_FETCH: Self = Self { track_fetches: 1, ..Self::NONE };
    /// One download URL returned.
    pub const DOWNLOAD: Self = Self { downloads: 1, ..Self::NONE };
    /// One delivery that starts with the first byte of a file.
    pub const START: Self = Self { starts: 1, ..Self::NONE };

    const NONE: Self = Self { stream_redirects: 0, track_fetches: 0, downloads: 0, starts: 0, bytes: 0 };

    /// Counts delivered bytes.
    pub const fn bytes(bytes: u64) -> Self {
        Self { bytes, ..Self::NONE }
    }

    /// The number of plays: over share links and in play sessions.
    pub const fn plays(self) -> u64 {
        self.stream_redirects.saturating_add(self.track_fetches)
    }

    /// Whether nothing was counted.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

impl AddAssign for UsageCounts {
    fn add_assign(&mut self, more: Self) {
        let add = |count: &mut u64, more| *count = count.saturating_add(more);
        add(&mut self.stream_redirects, more.stream_redirects);
        add(&mut self.track_fetches, more.track_fetches);
        add(&mut self.downloads, more.downloads);
        add(&mut self.starts, more.starts);
        add(&mut self.bytes, more.bytes);
    }
}

impl std::iter::Sum for UsageCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::NONE, |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}
