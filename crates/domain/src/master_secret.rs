//! When a master secret signed and encrypted, and when it can go.

use crate::timestamp::Timestamp;

/// That nodes sign and encrypt with a master secret, which its fingerprint tells from others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterSecretUse {
    /// Which secret. Nothing of the secret follows from it.
    pub fingerprint: String,
    /// When a node with a database first signed with it.
    pub first_at: Timestamp,
    /// When one last said that it does.
    pub last_at: Timestamp,
}

impl MasterSecretUse {
    /// Seconds between two notes of a node. One that ends in between signs until then.
    pub const NOTED_EVERY: i64 = 600;

    /// Rows that are kept: the latest rotations.
    pub const MOST_KEPT: u64 = 20;

    /// The longest that a URL signed by the service is valid where caches do not round it up: the lifetime of a session.
    pub const LONGEST_URL: i64 = 86_400;

    /// When the last that was signed with the secret has expired. `rounding` is the window of URLs for shared caches, in
    /// seconds.
    pub fn last_signature_expires_at(&self, rounding: u32) -> Timestamp {
        self.last_at.plus_seconds(Self::NOTED_EVERY + Self::LONGEST_URL + i64::from(rounding))
    }
}
