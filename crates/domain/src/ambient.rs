//! Inputs that change from call to call and are passed in: the time and random bytes.

use std::fmt;
use std::sync::Arc;

use crate::id::{CredentialId, RecordId};
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;

/// A clock: the system clock in the service, a manually set one in tests.
pub trait Clock: Send + Sync {
    /// The present moment.
    fn now(&self) -> Timestamp;

    /// Whether the clock stands still until a test moves it. No other clock can replace such a clock.
    fn is_set_by_hand(&self) -> bool {
        false
    }
}

/// A source of random bytes that are suitable for secrets.
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
    /// Combines a clock and a source of randomness.
    pub fn new(clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { clock, entropy }
    }

    /// The present moment.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Whether the clock is set manually, as in tests.
    pub fn is_time_set_by_hand(&self) -> bool {
        self.clock.is_set_by_hand()
    }

    /// `N` random bytes that are suitable for a secret.
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
