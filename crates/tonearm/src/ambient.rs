//! The system's clock and randomness: the one place where they are asked.

use std::sync::Arc;

use tonearm_domain::{Ambient, Clock, Entropy, Timestamp};

struct SystemClock;

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)] // This is the clock that is passed in everywhere else.
    fn now(&self) -> Timestamp {
        let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let millis = since_epoch.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
        Timestamp::from_unix_millis(0)
            .map_or_else(|| unreachable!("the epoch is a moment"), |t| t.plus_millis(millis))
    }
}

struct SystemEntropy;

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        // A kernel that gives no randomness leaves nothing safe to do: every secret depends on it.
        if let Err(error) = getrandom::fill(bytes) {
            tracing::error!(%error, "the system gives no random bytes");
            std::process::abort();
        }
    }
}

/// The system's own time and randomness.
pub fn system() -> Ambient {
    Ambient::new(Arc::new(SystemClock), Arc::new(SystemEntropy))
}
