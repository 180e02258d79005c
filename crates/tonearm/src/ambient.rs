//! The system's clock and randomness. This is the only place that reads them.

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

/// Number of random bytes read from the system at once. Every request needs 16 of them for its id, and reading them
/// from the system takes longer than making the id.
const STOCK: usize = 1024;

thread_local! {
    static STOCK_LEFT: RefCell<RandomBuffer> = const { RefCell::new(RandomBuffer { bytes: [0; STOCK], used: STOCK }) };
}

/// Random bytes that have not been handed out yet.
struct RandomBuffer {
    bytes: [u8; STOCK],
    used: usize,
}

impl RandomBuffer {
    /// Moves bytes to `target` and overwrites them here, so that no secret stays in the buffer.
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
    // Without randomness from the kernel, the process cannot continue safely: every secret depends on it.
    if let Err(error) = getrandom::fill(bytes) {
        tracing::error!(%error, "could not read random bytes from the operating system");
        std::process::abort();
    }
}

/// The clock and the randomness of the operating system.
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
