//! The system's clock and randomness: the one place where they are asked.

use std::cell::RefCell;
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
        match bytes.len() {
            small if small <= STOCK / 4 => STOCK_LEFT.with_borrow_mut(|stock| stock.take(bytes)),
            _ => from_system(bytes),
        }
    }
}

/// Bytes asked of the system at once: every request is named by 16 of them, and asking takes longer than naming.
const STOCK: usize = 1024;

thread_local! {
    static STOCK_LEFT: RefCell<RandomBuffer> = const { RefCell::new(RandomBuffer { bytes: [0; STOCK], used: STOCK }) };
}

/// Random bytes that nobody has had yet.
struct RandomBuffer {
    bytes: [u8; STOCK],
    used: usize,
}

impl RandomBuffer {
    /// Gives away bytes and forgets them, so that no secret stays here.
    fn take(&mut self, target: &mut [u8]) {
        if self.used + target.len() > STOCK {
            from_system(&mut self.bytes);
            self.used = 0;
        }
        let given = &mut self.bytes[self.used..][..target.len()];
        target.copy_from_slice(given);
        given.fill(0);
        self.used += target.len();
    }
}

fn from_system(bytes: &mut [u8]) {
    // A kernel that gives no randomness leaves nothing safe to do: every secret depends on it.
    if let Err(error) = getrandom::fill(bytes) {
        tracing::error!(%error, "could not read random bytes from the operating system");
        std::process::abort();
    }
}

/// The system's own time and randomness.
pub fn system() -> Ambient {
    Ambient::new(Arc::new(SystemClock), Arc::new(SystemEntropy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bytes_are_given_twice() {
        let ambient = system();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..STOCK {
            assert!(seen.insert(ambient.random::<10>()));
        }
        let large = ambient.random::<{ 2 * STOCK }>();
        assert!(large.chunks(STOCK / 4).all(|part| part.iter().any(|byte| *byte != 0)));
    }
}
