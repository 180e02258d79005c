//! A rate limit that concurrent tasks share.

use std::num::NonZeroU64;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A limit of bytes or objects per second, or no limit.
#[derive(Debug)]
pub(crate) struct Rate {
    per_second: Option<NonZeroU64>,
    /// When the next caller may continue.
    free_at: Mutex<Instant>,
}

impl Rate {
    /// Creates a limit, or none for `None`.
    pub(crate) fn new(per_second: Option<NonZeroU64>) -> Self {
        Self { per_second, free_at: Mutex::new(Instant::now()) }
    }

    /// Takes a share of the limit, and waits until it is available.
    pub(crate) async fn take(&self, amount: u64) {
        let Some(per_second) = self.per_second else { return };
        let start = {
            let mut free_at = self.free_at.lock().unwrap_or_else(PoisonError::into_inner);
            let start = (*free_at).max(Instant::now());
            let micros = u128::from(amount) * 1_000_000 / u128::from(per_second.get());
            *free_at = start + Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX >> 8));
            start
        };
        sleep_until(start).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_share_a_limit() {
        let rate = Rate::new(NonZeroU64::new(1000));
        let begun = Instant::now();
        for _ in 0..5 {
            rate.take(500).await;
        }
        // The last half second is not waited for: a call returns when its share begins.
        assert_eq!(begun.elapsed(), Duration::from_secs(2));
        tokio::time::sleep(Duration::from_secs(60)).await;
        let begun = Instant::now();
        rate.take(500).await;
        assert_eq!(begun.elapsed(), Duration::ZERO, "nothing is owed, and nothing was saved up");
        rate.take(1).await;
        assert_eq!(begun.elapsed(), Duration::from_millis(500));
        Rate::new(None).take(u64::MAX).await;
    }
}
