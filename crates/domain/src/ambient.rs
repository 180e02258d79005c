//! What changes from call to call, passed in: the time and random bytes.

use std::fmt;
use std::sync::Arc;

use crate::id::{CredentialId, RecordId};
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;

/// Tells the time. The system's clock in the service, a hand-set one in tests.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// Whether it stands still until somebody moves it. Then no other clock can stand in for it.
    fn is_set_by_hand(&self) -> bool {
        false
    }
}

/// Gives random bytes fit for secrets.
pub trait Entropy: Send + Sync {
    /// Fills `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}

/// The clock and the source of randomness, as every use case takes them.
#[derive(Clone)]
pub struct Ambient {
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
}

impl Ambient {
    /// Bundles the two.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether the clock is one that tests set by hand.
    pub fn is_time_set_by_hand(&self) -> bool {
        self.clock.is_set_by_hand()
    }

    /// `N` random bytes fit for a secret.
    pub fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }

    /// A fresh id of a record.
    pub fn record_id<T: RecordId>(&self) -> T {
        T::from_parts(self.now(), self.random())
    }

    /// A fresh id that is a credential.
    pub fn credential_id<T: CredentialId>(&self) -> T {
        T::from_random(self.random())
    }

    /// A fresh short id, for paths.
    pub fn short_id(&self) -> ShortId {
        ShortId::from_random(self.random())
    }
}

impl fmt::Debug for Ambient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ambient")
    }
}
