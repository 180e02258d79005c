//! Browsers in which people have signed in before.

use crate::PersonId;
use crate::timestamp::Timestamp;

/// A browser in which a person has signed in: it holds the secret of a cookie that outlives the sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownDevice {
    /// Who has signed in there.
    pub person_id: PersonId,
    /// When the person last did.
    pub seen_at: Timestamp,
}

impl KnownDevice {
    /// Seconds that it is known after the last sign-in: 180 days.
    pub const LIFETIME: i64 = 180 * 24 * 3600;
    /// Most of one person. Beyond it, the one that was not used for the longest is forgotten.
    pub const MOST: u64 = 20;

    /// Whether it is still known.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.seen_at.plus_seconds(Self::LIFETIME)
    }
}
