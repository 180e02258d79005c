//! Known devices: browsers in which people have signed in before.

use crate::PersonId;
use crate::timestamp::Timestamp;

/// A browser in which a person has signed in. It holds a cookie with a secret, and the cookie outlives the sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownDevice {
    /// The person who signed in.
    pub person_id: PersonId,
    /// When the person last signed in there.
    pub seen_at: Timestamp,
}

impl KnownDevice {
    /// Lifetime after the last sign-in, in seconds: 180 days.
    pub const LIFETIME: i64 = 180 * 24 * 3600;
    /// Maximum number for one person. Beyond it, the least recently used one is forgotten.
    pub const MOST: u64 = 20;

    /// Whether it is still known.
    pub fn is_valid_at(&self, now: Timestamp) -> bool {
        now < self.seen_at.plus_seconds(Self::LIFETIME)
    }
}
