//! Counts of listens.

use std::ops::AddAssign;

/// The dimension by which listens are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ListenKind {
    /// The whole organization.
    Organization,
    /// Each collection.
    Collection,
    /// Each track.
    Track,
    /// The key of each share link.
    ShareLink,
    /// Each site with a player on its pages.
    Referrer,
    /// Each country with listeners.
    Country,
}

impl ListenKind {
    /// The kind as text, as in SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Collection => "collection",
            Self::Track => "track",
            Self::ShareLink => "share_link",
            Self::Referrer => "referrer",
            Self::Country => "country",
        }
    }
}

/// The number of listens and listeners, and the time heard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ListenCounts {
    /// Listens: one per track, listener and day, with at least one minute delivered, or 95 % of a file that is shorter.
    pub listens: u64,
    /// Listeners with at least one listen, counted separately for each day.
    pub listeners: u64,
    /// Milliseconds that were played where players report it, and otherwise delivered, including playback that did not
    /// become a listen.
    pub heard_millis: u64,
    /// Those of them that players reported.
    pub played_millis: u64,
}

impl ListenCounts {
    /// Whether nothing was counted.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

impl AddAssign for ListenCounts {
    fn add_assign(&mut self, more: Self) {
        self.listens = self.listens.saturating_add(more.listens);
        self.listeners = self.listeners.saturating_add(more.listeners);
        self.heard_millis = self.heard_millis.saturating_add(more.heard_millis);
        self.played_millis = self.played_millis.saturating_add(more.played_millis);
    }
}

impl std::iter::Sum for ListenCounts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::default(), |mut sum, counts| {
            sum += counts;
            sum
        })
    }
}
