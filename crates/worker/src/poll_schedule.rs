//! When to poll for work again.

use std::time::Duration;

use tonearm_catalog::{Catalog, CatalogError, Wakeup, Wakeups};
use tonearm_domain::Ambient;

/// How a loop that found no work waits for more.
///
/// While workers are notified of work that any node queues, they sleep until something becomes due, and poll now and
/// then in case a notice was lost. Otherwise they poll once in each `poll`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PollSchedule {
    /// The interval of a worker that is not notified.
    pub(crate) poll: Duration,
    /// The interval of a worker that is notified, plus or minus a fifth, so that nodes do not poll at the same time.
    pub(crate) slow_poll: Duration,
}

impl PollSchedule {
    /// How long to sleep unless woken. `next_due` returns the time until something is due.
    pub(crate) async fn pause<F>(
        self,
        catalog: &Catalog,
        ambient: &Ambient,
        next_due: impl FnOnce() -> F,
    ) -> Duration
    where
        F: Future<Output = Result<Option<Duration>, CatalogError>>,
    {
        if !catalog.is_notified_of_work() {
            return self.poll;
        }
        match next_due().await {
            Ok(due) => self.pause_until(due, ambient),
            Err(_) => self.poll,
        }
    }

    /// The same, if the time until something is due is known.
    pub(crate) fn pause_until(self, due: Option<Duration>, ambient: &Ambient) -> Duration {
        self.until(due, ambient.random())
    }

    /// Work that is due now was not for this node, which polls again after a `poll`. For work that becomes due later,
    /// each node wakes at a random time within a `poll`, and the first one gets it.
    fn until(self, due: Option<Duration>, [jitter, spread]: [u8; 2]) -> Duration {
        let slow = self.slow_poll.mul_f64(0.8 + 0.4 * f64::from(jitter) / 255.0);
        match due {
            None => slow,
            Some(Duration::ZERO) => self.poll.min(slow),
            Some(due) => slow.min(due.saturating_add(part_of(self.poll, spread))),
        }
    }
}

/// A random part of a duration.
fn part_of(whole: Duration, random: u8) -> Duration {
    whole.mul_f64(f64::from(random) / 255.0)
}

/// The range of delays with which nodes that are all woken for the same work poll for it.
///
/// It begins small. A node that comes too late doubles it, up to a `poll`, so that idle nodes next to busy ones cost no
/// more than if they polled once in each `poll`.
#[derive(Debug)]
pub(crate) struct WakeupJitter {
    now: Duration,
    most: Duration,
}

impl WakeupJitter {
    const LEAST: Duration = Duration::from_millis(50);

    pub(crate) fn up_to(most: Duration) -> Self {
        Self { now: Self::LEAST.min(most), most }
    }

    /// Called when there was work, or no wake-up for a while.
    pub(crate) fn reset(&mut self) {
        self.now = Self::LEAST.min(self.most);
    }

    /// Waits for a wake-up. Returns at once for work of this process, and after a random part of the range for work of
    /// others.
    pub(crate) async fn woken(&mut self, wakeups: &Wakeups, ambient: &Ambient) -> Wakeup {
        let wakeup = wakeups.next().await;
        if wakeup == Wakeup::Elsewhere {
            let [random] = ambient.random();
            tokio::time::sleep(part_of(self.now, random)).await;
            self.now = self.now.saturating_mul(2).min(self.most);
        }
        wakeup
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RHYTHM: PollSchedule =
        PollSchedule { poll: Duration::from_secs(1), slow_poll: Duration::from_secs(15) };

    #[test]
    fn sleep_ends_with_what_becomes_due() {
        let seconds = Duration::from_secs;
        assert_eq!(RHYTHM.until(None, [0, 0]), seconds(12));
        assert_eq!(RHYTHM.until(None, [255, 0]), seconds(18));
        assert_eq!(RHYTHM.until(Some(seconds(60)), [0, 255]), seconds(12));
        assert_eq!(RHYTHM.until(Some(seconds(3)), [255, 0]), seconds(3));
        assert_eq!(RHYTHM.until(Some(seconds(3)), [255, 255]), seconds(4));
        assert_eq!(RHYTHM.until(Some(Duration::ZERO), [255, 0]), seconds(1));
        assert_eq!(RHYTHM.until(Some(Duration::MAX), [0, 255]), seconds(12));
    }

    #[test]
    fn who_comes_too_late_comes_later_the_next_time() {
        let mut spread = WakeupJitter::up_to(Duration::from_secs(1));
        assert_eq!(spread.now, WakeupJitter::LEAST);
        spread.now = Duration::from_secs(1);
        spread.reset();
        assert_eq!(spread.now, WakeupJitter::LEAST);
    }
}
