//! Measures how fast bytes pass while waiting for the other end.

use std::time::Duration;

use crate::limits::ClientDeadlines;

/// Bytes that passed, and the time spent waiting for the other end.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    waited: Duration,
    passed: u64,
}

impl Pace {
    /// Records a wait for the other end.
    pub(crate) fn wait(&mut self, duration: Duration) {
        self.waited += duration;
    }

    /// Records bytes that passed.
    pub(crate) fn pass(&mut self, bytes: u64) {
        self.passed += bytes;
    }

    /// Whether too few bytes passed; false until `patience.send` has been waited. The required rate is divided by the
    /// number of `streams`.
    pub(crate) fn is_too_slow(&mut self, patience: ClientDeadlines, streams: usize) -> bool {
        if self.waited < patience.send {
            return false;
        }
        let Self { waited, passed } = std::mem::take(self);
        let enough = u128::from(patience.bytes_per_second) * waited.as_millis() / 1000;
        u128::from(passed) * (streams.max(1) as u128) < enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: ClientDeadlines =
        ClientDeadlines { head: Duration::ZERO, send: Duration::from_secs(60), bytes_per_second: 500 };

    fn pace(seconds: u64, passed: u64) -> Pace {
        Pace { waited: Duration::from_secs(seconds), passed }
    }

    #[test]
    fn what_passes_is_judged_over_the_time_that_was_waited() {
        assert!(!pace(59, 0).is_too_slow(PATIENCE, 1), "it is too early to tell");
        assert!(pace(60, 29_999).is_too_slow(PATIENCE, 1));
        assert!(!pace(60, 30_000).is_too_slow(PATIENCE, 1));
        assert!(!pace(60, 3_000).is_too_slow(PATIENCE, 10), "ten streams share it");
        let mut pace = pace(120, 60_000);
        assert!(!pace.is_too_slow(PATIENCE, 1));
        assert_eq!((pace.waited, pace.passed), (Duration::ZERO, 0), "the next time begins");
    }
}
