//! Counts the job runs that ended on this node, in total and in the last minute and hour.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;
use tonearm_domain::{EndedRuns, JobClass, NodeRecord, PerClass, RecentRuns};

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

/// Counts are recorded with each heartbeat, so none is from exactly a minute ago. The nearest one is used.
const SLACK: Duration = Duration::from_secs(NodeRecord::BEAT_SECONDS / 2);

/// Counts job runs that end on a node. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct RunCounter(Arc<[Counters; JobClass::ALL.len()]>);

#[derive(Debug, Default)]
struct Counters {
    finished: AtomicU64,
    failed: AtomicU64,
}

impl RunCounter {
    /// Counts a finished run.
    pub fn finished(&self, class: JobClass) {
        self.0[class as usize].finished.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a failed run. Its job is retried or was given up.
    pub fn failed(&self, class: JobClass) {
        self.0[class as usize].failed.fetch_add(1, Ordering::Relaxed);
    }

    /// The runs that ended since the start of the node.
    pub(super) fn all(&self) -> PerClass<EndedRuns> {
        PerClass::of(|class| {
            let counters = &self.0[class as usize];
            EndedRuns {
                finished: counters.finished.load(Ordering::Relaxed),
                failed: counters.failed.load(Ordering::Relaxed),
            }
        })
    }
}

/// The counts of the last hour, oldest first: a few hundred.
#[derive(Debug, Default)]
pub(super) struct RunHistory(VecDeque<(Instant, PerClass<EndedRuns>)>);

impl RunHistory {
    /// Records the counts, and returns how many runs ended in the last minute and hour. A node that has not run for
    /// that long returns those since its first counts.
    pub(super) fn note(&mut self, at: Instant, counts: PerClass<EndedRuns>) -> PerClass<RecentRuns> {
        while self.0.get(1).is_some_and(|(then, _)| is_before(*then, at, HOUR)) {
            self.0.pop_front();
        }
        self.0.push_back((at, counts));
        let (minute, hour) = (self.counts_before(at, MINUTE), self.counts_before(at, HOUR));
        PerClass::of(|class| {
            let all = counts.get(class);
            RecentRuns { minute: all.since(minute.get(class)), hour: all.since(hour.get(class)) }
        })
    }

    fn counts_before(&self, at: Instant, window: Duration) -> PerClass<EndedRuns> {
        let before = self.0.iter().rev().find(|(then, _)| is_before(*then, at, window));
        before.or(self.0.front()).map(|(_, counts)| *counts).unwrap_or_default()
    }
}

fn is_before(then: Instant, now: Instant, window: Duration) -> bool {
    now.saturating_duration_since(then) + SLACK >= window
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_the_last_minute_and_hour_are_told() {
        let (counter, mut history, begun) = (RunCounter::default(), RunHistory::default(), Instant::now());
        let mut reported = history.note(begun, counter.all());
        assert_eq!(reported, PerClass::default());
        // Two hours in which one job is done with each heartbeat, and every fourth fails.
        for beat in 1..=480_u64 {
            counter.finished(JobClass::Encode);
            if beat % 4 == 0 {
                counter.failed(JobClass::Wait);
            }
            reported = history.note(begun + Duration::from_secs(15 * beat), counter.all());
        }
        let runs = |finished, failed| EndedRuns { finished, failed };
        let expected = RecentRuns { minute: runs(4, 0), hour: runs(240, 0) };
        assert_eq!(reported.get(JobClass::Encode), expected);
        assert_eq!(reported.get(JobClass::Wait), RecentRuns { minute: runs(0, 1), hour: runs(0, 60) });
        assert_eq!(reported.get(JobClass::Maintenance), RecentRuns::default());
        assert!(history.0.len() <= 242, "{}", history.0.len());
        // A node without heartbeats for a long time counts the runs since its last one.
        let later = begun + Duration::from_secs(15 * 480 + 7200);
        counter.finished(JobClass::Encode);
        let reported = history.note(later, counter.all()).get(JobClass::Encode);
        assert_eq!(reported, RecentRuns { minute: runs(1, 0), hour: runs(1, 0) });
    }

    #[test]
    fn a_node_that_just_started_tells_what_it_did() {
        let (counter, mut history, begun) = (RunCounter::default(), RunHistory::default(), Instant::now());
        history.note(begun, counter.all());
        counter.failed(JobClass::Encode);
        let reported = history.note(begun + Duration::from_secs(15), counter.all()).get(JobClass::Encode);
        let once = EndedRuns { finished: 0, failed: 1 };
        assert_eq!(reported, RecentRuns { minute: once, hour: once });
    }
}
