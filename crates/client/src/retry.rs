//! How often, and for how long, a failing operation is retried.

use std::time::Duration;

use tokio::time::Instant;
use tonearm_domain::Ambient;

use crate::error::ClientError;

/// The pause after the first failure; it doubles with each that follows.
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// The longest pause, unless the server requests a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The failures of one operation since its last progress.
pub(crate) struct Attempts<'a> {
    ambient: &'a Ambient,
    patience: Duration,
    since: Instant,
    failures: u32,
}

impl<'a> Attempts<'a> {
    pub(crate) fn new(ambient: &'a Ambient, patience: Duration) -> Self {
        Self { ambient, patience, since: Instant::now(), failures: 0 }
    }

    /// Restarts the time for retries, since there was progress.
    pub(crate) fn progressed(&mut self) {
        (self.since, self.failures) = (Instant::now(), 0);
    }

    /// Waits until the next attempt. Returns the error if it is not transient, or if the wait would take too long.
    pub(crate) async fn wait_after(&mut self, error: ClientError) -> Result<(), ClientError> {
        if !error.is_transient() {
            return Err(error);
        }
        let pause = pause(self.failures, self.ambient.random()).max(error.retry_after().unwrap_or_default());
        if self.since.elapsed() + pause > self.patience {
            return Err(error);
        }
        self.failures += 1;
        tokio::time::sleep(pause).await;
        Ok(())
    }
}

/// The pause after this many earlier failures: between half of the full pause and all of it, so that clients that
/// failed at the same time do not retry at the same time.
fn pause(failures: u32, random: [u8; 2]) -> Duration {
    let full = FIRST_PAUSE.saturating_mul(1 << failures.min(16)).min(LONGEST_PAUSE);
    full.mul_f64(0.5 + f64::from(u16::from_le_bytes(random)) / f64::from(u16::MAX) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Refusal;

    fn refused(status: u16, seconds: Option<u64>) -> ClientError {
        let retry_after = seconds.map(Duration::from_secs);
        ClientError::Refused(Refusal { status, code: String::new(), message: String::new(), retry_after })
    }

    #[test]
    fn pauses_grow_up_to_a_bound() {
        assert_eq!(pause(0, [0, 0]), Duration::from_millis(250));
        assert_eq!(pause(0, [255, 255]), Duration::from_millis(500));
        assert_eq!(pause(3, [255, 255]), Duration::from_secs(4));
        assert_eq!(pause(u32::MAX, [255, 255]), LONGEST_PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends() {
        let (ambient, _) = tonearm_fixtures::ambient();
        let mut attempts = Attempts::new(&ambient, Duration::from_secs(125));
        assert!(attempts.wait_after(refused(404, None)).await.is_err());
        let begun = Instant::now();
        let mut tries = 0;
        while attempts.wait_after(refused(503, Some(30))).await.is_ok() {
            tries += 1;
        }
        // The pause that the server requests is respected, but retries end.
        assert_eq!(tries, 4);
        assert_eq!(begun.elapsed().as_secs(), 120);
        assert!(attempts.wait_after(refused(503, Some(126))).await.is_err(), "it would take too long");
        attempts.progressed();
        assert!(attempts.wait_after(refused(503, Some(59))).await.is_ok());
    }
}
