//! The use of master secrets: when each was in use, and when it can be removed.

use crate::timestamp::Timestamp;

/// Records that nodes sign and encrypt with a master secret, identified by its fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MasterSecretUse {
    /// The fingerprint of the secret. It reveals nothing about the secret.
    pub fingerprint: String,
    /// When a node with a database first signed with it.
    pub first_at: Timestamp,
    /// When a node last reported that it does.
    pub last_at: Timestamp,
}

impl MasterSecretUse {
    /// Seconds between two reports of a node. A node that stops may have signed for up to this long after its last
    /// report.
    pub const NOTED_EVERY: i64 = 600;

    /// Maximum number of rows: the latest rotations are kept.
    pub const MOST_KEPT: u64 = 20;

    /// The longest validity of a URL signed by the service, in seconds, without rounding up for caches: the lifetime of
    /// a session.
    pub const LONGEST_URL: i64 = 86_400;

    /// When the last signature made with the secret expires. `rounding` is the window of URLs for shared caches, in
    /// seconds.
    pub fn last_signature_expires_at(&self, rounding: u32) -> Timestamp {
        self.last_at.plus_seconds(Self::NOTED_EVERY + Self::LONGEST_URL + i64::from(rounding))
    }
}
