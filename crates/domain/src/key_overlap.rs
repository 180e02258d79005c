//! How long the old secret of a key remains valid after a rotation.

use std::str::FromStr;

use crate::timestamp::Timestamp;

/// Hours for which both secrets of a key work; 0 ends the old one at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyOverlap(u16);

/// A number of hours above the maximum.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a number of hours from 0 to {}", KeyOverlap::MOST_HOURS)]
pub struct KeyOverlapError;

impl KeyOverlap {
    /// Thirty days.
    pub const MOST_HOURS: u16 = 30 * 24;

    /// Checks a number of hours.
    pub fn new(hours: u16) -> Result<Self, KeyOverlapError> {
        if hours <= Self::MOST_HOURS { Ok(Self(hours)) } else { Err(KeyOverlapError) }
    }

    /// The number of hours.
    pub const fn hours(self) -> u16 {
        self.0
    }

    /// Until when the old secret is valid; none: it ends now.
    pub fn until(self, now: Timestamp) -> Option<Timestamp> {
        (self.0 > 0).then(|| now.plus_seconds(i64::from(self.0) * 3600))
    }
}

impl Default for KeyOverlap {
    /// A day.
    fn default() -> Self {
        Self(24)
    }
}

impl FromStr for KeyOverlap {
    type Err = KeyOverlapError;

    fn from_str(text: &str) -> Result<Self, KeyOverlapError> {
        text.trim().parse().map_err(|_| KeyOverlapError).and_then(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_from_none_to_thirty_days() {
        let now = Timestamp::from_unix_seconds(1_000_000_000).unwrap();
        let until = |text: &str| text.parse::<KeyOverlap>().unwrap().until(now);
        assert_eq!(until("0"), None);
        assert_eq!(until(" 720 "), Some(now.plus_seconds(30 * 24 * 3600)));
        assert_eq!(KeyOverlap::default().until(now), Some(now.plus_seconds(24 * 3600)));
        for bad in ["", "-1", "721", "65536", "1.5", "a day"] {
            assert_eq!(bad.parse::<KeyOverlap>(), Err(KeyOverlapError), "{bad}");
        }
    }
}
