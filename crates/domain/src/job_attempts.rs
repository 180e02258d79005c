//! Job attempts: leases, the pauses between attempts, and when a job is given up.

use crate::job::Job;
use crate::outage::Outage;
use crate::timestamp::Timestamp;
use crate::trace_context::TraceContext;
use crate::{JobId, LeaseId};

/// Milliseconds until a job that met an outage is retried: as long as it has been failing, which doubles the pause with
/// each retry, but at least 1 s and at most 15 minutes. `jitter` is random, 0..=255, and adds up to a quarter.
///
/// That a job waits for the database can be recorded only when the database is back, so this pause stays short.
pub fn outage_pause_millis(outage: Outage, failing_for_millis: i64, jitter: u8) -> i64 {
    let longest = if outage == Outage::Database { 24_000 } else { 720_000 };
    let base = failing_for_millis.clamp(1000, longest);
    base + base / 4 * i64::from(jitter) / 255
}

/// A job that a worker has claimed. No other worker may run it during its lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job's id.
    pub id: JobId,
    /// What to do.
    pub job: Job,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// How many earlier attempts ended because a third-party server failed.
    pub failures: u32,
    /// How many workers in a row died while they ran it.
    pub deaths: u32,
    /// How many of the last deaths in a row happened while it ran alone and soon after its start.
    pub deaths_alone: u32,
    /// Since when every run has ended in an outage, by the clock of the node that claimed it. None unless the last run
    /// did.
    pub failing_since: Option<Timestamp>,
    /// The outage that ended the previous run.
    pub waits_for: Option<Outage>,
    /// The lease it is held under.
    pub lease: LeaseId,
    /// When the lease ends unless it is renewed, by the clock of the node that claimed it.
    pub leased_until: Timestamp,
    /// The trace of the request or job that queued it.
    pub trace: Option<TraceContext>,
}

impl ClaimedJob {
    /// Whether the job is given up if this attempt fails.
    pub fn is_last_attempt(&self) -> bool {
        self.failures + 1 >= self.job.max_failures()
    }

    /// When it was queued, which its id says.
    fn queued_at_millis(&self) -> i64 {
        i64::try_from(self.id.uuid().as_u128() >> 80).unwrap_or(0)
    }

    /// When to try again at `now`, after a third party's server failed that asked to wait for some seconds or did not
    /// say; none: the job is given up. The longer of its pause and ours counts.
    ///
    /// For a day, attempts that the server has scheduled are no failures: it says that it will work again. Our own
    /// pause grows with all attempts meanwhile.
    pub fn next_try(&self, asked: Option<i64>, jitter: u8, now: Timestamp) -> Option<NextTry> {
        let is_young = || now.unix_millis() - self.queued_at_millis() < SCHEDULED_FOR_MILLIS;
        let is_failure = asked.is_none() || !is_young();
        if is_failure && self.is_last_attempt() {
            return None;
        }
        let own = self.job.backoff_millis(if is_failure { self.failures + 1 } else { self.attempt }, jitter);
        let pause_millis = own.max(asked.unwrap_or(0).saturating_mul(1000));
        Some(NextTry { at: now.plus_millis(pause_millis), pause_millis, is_failure })
    }

    /// Whether it may be the cause of the deaths of the workers that run it. It then runs alone, so that a death can be
    /// attributed to it and affects no other job.
    pub fn is_suspect(&self) -> bool {
        self.deaths >= DEATHS_TO_SUSPECT
    }

    /// Whether it is considered the cause of its workers' deaths, so that it is given up without another attempt.
    ///
    /// A machine that restarts repeatedly must not cause tracks to fail. A death therefore counts only if the job ran
    /// alone and the worker died soon after starting it: within a twentieth of the time that the worker had been up
    /// before (see [`trial_millis`]). By chance, this happens in about one of twenty deaths, whatever the rate of the
    /// restarts, and three times in a row once in thousands. Any other death resets the count. Because the pauses
    /// between deaths double, even a job that kills its worker only after an hour is detected in the end.
    pub fn is_deadly(&self) -> bool {
        self.deaths_alone >= DEATHS_ALONE
    }
}

/// The next attempt of a job after a third party's server failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NextTry {
    /// When it is due.
    pub at: Timestamp,
    /// How long that is from now.
    pub pause_millis: i64,
    /// Whether the attempt that ended counts as a failure.
    pub is_failure: bool,
}

/// For how long after a job was queued the attempts that a server has scheduled are no failures.
const SCHEDULED_FOR_MILLIS: i64 = 24 * 3_600_000;

/// Deaths after which a job runs alone.
const DEATHS_TO_SUSPECT: u32 = 2;

/// Deaths while it ran alone after which a job is considered the cause.
const DEATHS_ALONE: u32 = 3;

/// For how many milliseconds after the start of a suspect job a death counts against it, on a worker that has been up
/// for `uptime_millis`.
pub const fn trial_millis(uptime_millis: i64) -> i64 {
    uptime_millis / 20
}

/// Milliseconds that a job pauses after the lease of a dead worker has expired: none after the first death, then six
/// times the lease, doubling each time, at most a day. Six times the lease is long enough for a worker on the only node
/// to be up for the next death to count.
pub fn death_pause_millis(earlier_deaths: u32, lease_millis: i64) -> i64 {
    match earlier_deaths.checked_sub(1) {
        None => 0,
        Some(doublings) => lease_millis.saturating_mul(6 << doublings.min(20)).min(24 * 3_600_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(failures: u32, deaths: u32, deaths_alone: u32) -> ClaimedJob {
        let now = Timestamp::from_unix_millis(0).unwrap();
        ClaimedJob {
            id: crate::RecordId::from_parts(now, [0; 10]),
            job: Job::SweepObjects {},
            attempt: 1,
            failures,
            deaths,
            deaths_alone,
            failing_since: None,
            waits_for: None,
            lease: crate::CredentialId::from_random([0; 16]),
            leased_until: now,
            trace: None,
        }
    }

    #[test]
    fn failures_and_deaths_are_counted_apart() {
        let most = Job::SweepObjects {}.max_failures();
        assert!(!claimed(0, 0, 0).is_last_attempt());
        assert!(claimed(most - 1, 0, 0).is_last_attempt());
        assert!(!claimed(0, 100, 0).is_last_attempt());
        assert!(!claimed(most, 1, 0).is_suspect());
        assert!(claimed(0, 2, 0).is_suspect());
        assert!(!claimed(0, 100, 2).is_deadly());
        assert!(claimed(0, 5, 3).is_deadly());
    }

    #[test]
    fn pauses_of_an_outage_double_to_a_quarter_of_an_hour() {
        let (mut pauses, mut failing_for) = (Vec::new(), 0);
        for _ in 0..13 {
            let pause = outage_pause_millis(Outage::Store, failing_for, 0);
            pauses.push(pause / 1000);
            failing_for += pause;
        }
        assert_eq!(pauses, [1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 720, 720]);
        assert_eq!(outage_pause_millis(Outage::Store, i64::MAX, 255), 900_000);
        assert_eq!(outage_pause_millis(Outage::Store, -300_000, 0), 1000);
        assert_eq!(outage_pause_millis(Outage::Database, i64::MAX, 255), 30_000);
    }

    #[test]
    fn pauses_after_deaths_let_the_next_one_count() {
        let lease = 60_000;
        assert_eq!(death_pause_millis(0, lease), 0);
        assert_eq!(death_pause_millis(1, lease), 360_000);
        assert_eq!(death_pause_millis(2, lease), 720_000);
        assert_eq!(death_pause_millis(1000, lease), 24 * 3_600_000);
        // The time of a death is known to within a quarter of the lease.
        assert!(trial_millis(death_pause_millis(1, lease)) > lease / 4);
    }

    #[test]
    fn servers_that_say_when_are_asked_for_a_day() {
        let track_id = crate::TrackId::from_uuid(uuid::Uuid::nil());
        let import = Job::ImportSource { organization_id: Job::SYSTEM, track_id };
        let mut claimed = ClaimedJob { job: import, ..claimed(0, 0, 0) };
        let start = Timestamp::from_unix_millis(0).unwrap();
        // `Retry-After: 1` shortens no pause, a longer one extends it.
        let mut now = start;
        let mut pauses = Vec::new();
        for attempt in 1..=8 {
            claimed.attempt = attempt;
            let next = claimed.next_try(Some(1), 0, now).unwrap();
            assert!(!next.is_failure);
            pauses.push(next.pause_millis / 1000);
            now = next.at;
        }
        assert_eq!(pauses, [1, 4, 16, 64, 256, 1024, 3600, 3600]);
        claimed.attempt = 1;
        assert_eq!(claimed.next_try(Some(600), 0, start).unwrap().pause_millis, 600_000);
        let unscheduled = claimed.next_try(None, 0, start).unwrap();
        assert_eq!((unscheduled.pause_millis, unscheduled.is_failure), (1000, true));
        // After a day they count, and after eight failures it is over.
        let late = start.plus_seconds(24 * 3600);
        assert!(claimed.next_try(Some(1), 0, late).unwrap().is_failure);
        claimed.failures = 7;
        assert_eq!(claimed.next_try(Some(1), 0, late), None);
        assert_eq!(claimed.next_try(None, 0, start), None);
        assert!(claimed.next_try(Some(1), 0, start).is_some());
    }
}
