//! Background work: what there is to do, and how often it is tried.

use serde::{Deserialize, Serialize};

use crate::{JobId, LeaseId, OrganizationId, Timestamp, TrackId};

/// A piece of background work. Each is idempotent: done twice, it leaves what it leaves done once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Job {
    /// Probe a track's source and make what its recipes ask for.
    ProcessTrack {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Give up on a track whose upload URL has ended unused.
    ExpireUpload {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Remove the objects of a deleted track.
    PurgeTrack {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Remove objects that no row speaks of, left behind by killed processes.
    SweepObjects {},
}

impl Job {
    /// The kind as text, as in SQL and logs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ProcessTrack { .. } => "process_track",
            Self::ExpireUpload { .. } => "expire_upload",
            Self::PurgeTrack { .. } => "purge_track",
            Self::SweepObjects {} => "sweep_objects",
        }
    }

    /// How many times it is tried before it is given up.
    pub const fn max_attempts(&self) -> u32 {
        match self {
            Self::ProcessTrack { .. } => 4,
            Self::ExpireUpload { .. } | Self::PurgeTrack { .. } | Self::SweepObjects {} => 20,
        }
    }

    /// Milliseconds to wait after the `attempt`-th failure (from 1): 1 s, then four times as long each, at most
    /// an hour. `jitter` is random, 0..=255, and adds up to a quarter so that retries do not march in step.
    pub fn backoff_millis(&self, attempt: u32, jitter: u8) -> i64 {
        let base = 1000_i64.saturating_mul(4_i64.saturating_pow(attempt.saturating_sub(1))).min(3_600_000);
        base + base / 4 * i64::from(jitter) / 255
    }
}

/// A job that a worker holds: for as long as its lease, nobody else may run it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedJob {
    /// The job's id.
    pub id: JobId,
    /// What to do.
    pub job: Job,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The lease it is held under.
    pub lease: LeaseId,
    /// When the lease ends unless it is renewed.
    pub leased_until: Timestamp,
}

impl ClaimedJob {
    /// Whether no further attempt follows this one.
    pub fn is_last_attempt(&self) -> bool {
        self.attempt >= self.job.max_attempts()
    }

    /// Whether earlier attempts already used up what is allowed: their workers died without a word, so the job
    /// itself may be what kills them, and it is given up without another try.
    pub fn is_overdrawn(&self) -> bool {
        self.attempt > self.job.max_attempts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_to_an_hour() {
        let job = Job::SweepObjects {};
        let waits: Vec<i64> = (1..=8).map(|n| job.backoff_millis(n, 0)).collect();
        assert_eq!(waits, [1000, 4000, 16_000, 64_000, 256_000, 1_024_000, 3_600_000, 3_600_000]);
        assert_eq!(job.backoff_millis(1, 255), 1250);
        assert_eq!(job.backoff_millis(u32::MAX, 255), 4_500_000);
    }
}
