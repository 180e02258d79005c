//! Background work: what there is to do, and how often it is tried.

use serde::{Deserialize, Serialize};

use crate::{CollectionId, CoverOwner, JobId, LeaseId, OrganizationId, Timestamp, TrackId, VariantId};

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
    /// Make what one recipe asks for, for the tracks that were there before it.
    RenderExisting {
        /// Whose recipe.
        organization_id: OrganizationId,
        /// Which one.
        variant_id: VariantId,
    },
    /// Give up on a track whose upload URL has ended unused.
    ExpireUpload {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Have the words of a track written down.
    TranscribeTrack {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Finish what there is of a cover once it is in use: its WebP forms, and the files cut from it.
    FinishCover {
        /// Whose cover.
        organization_id: OrganizationId,
        /// Of what.
        owner: CoverOwner,
    },
    /// Remove the objects of a deleted track.
    PurgeTrack {
        /// Whose track.
        organization_id: OrganizationId,
        /// Which one.
        track_id: TrackId,
    },
    /// Remove a deleted collection's own objects.
    PurgeCollection {
        /// Whose collection.
        organization_id: OrganizationId,
        /// Which one.
        collection_id: CollectionId,
    },
    /// Remove objects that no row speaks of, left behind by killed processes.
    SweepObjects {},
    /// Remove the rows of sessions and kept answers that have expired.
    ForgetExpired {},
}

impl Job {
    /// The kind as text, as in SQL and logs.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ProcessTrack { .. } => "process_track",
            Self::RenderExisting { .. } => "render_existing",
            Self::ExpireUpload { .. } => "expire_upload",
            Self::TranscribeTrack { .. } => "transcribe_track",
            Self::FinishCover { .. } => "finish_cover",
            Self::PurgeTrack { .. } => "purge_track",
            Self::PurgeCollection { .. } => "purge_collection",
            Self::SweepObjects {} => "sweep_objects",
            Self::ForgetExpired {} => "forget_expired",
        }
    }

    /// How many failures are waited out before it is given up.
    pub const fn max_failures(&self) -> u32 {
        match self {
            Self::ProcessTrack { .. } => 4,
            // The last tries are almost an hour apart.
            Self::TranscribeTrack { .. } => 10,
            _ => 20,
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
    /// How many of the earlier attempts ended in a failure. The others ended with their worker's death.
    pub failures: u32,
    /// Since when every run has ended in an outage. None unless the last one did.
    pub failing_since: Option<Timestamp>,
    /// The lease it is held under.
    pub lease: LeaseId,
    /// When the lease ends unless it is renewed.
    pub leased_until: Timestamp,
}

impl ClaimedJob {
    /// Whether another failure would be one too many.
    pub fn is_last_attempt(&self) -> bool {
        self.failures + 1 >= self.job.max_failures()
    }

    /// Whether so many workers died over this job that the job itself must be what kills them: it is given up
    /// without another try. A machine that is restarted again and again must not cost anybody their track, so the
    /// bound is far above what chance brings.
    pub fn is_deadly(&self) -> bool {
        self.attempt - 1 - self.failures.min(self.attempt - 1) >= MAX_DEATHS
    }
}

/// Deaths of workers over one job before the job is held to be the cause.
const MAX_DEATHS: u32 = 25;

#[cfg(test)]
mod tests {
    use super::*;

    fn claimed(attempt: u32, failures: u32) -> ClaimedJob {
        let now = Timestamp::from_unix_millis(0).unwrap();
        ClaimedJob {
            id: crate::RecordId::from_parts(now, [0; 10]),
            job: Job::SweepObjects {},
            attempt,
            failures,
            failing_since: None,
            lease: crate::CredentialId::from_random([0; 16]),
            leased_until: now,
        }
    }

    #[test]
    fn failures_and_deaths_are_counted_apart() {
        let most = Job::SweepObjects {}.max_failures();
        assert!(!claimed(1, 0).is_last_attempt());
        assert!(claimed(most, most - 1).is_last_attempt());
        assert!(!claimed(MAX_DEATHS, 0).is_last_attempt());
        assert!(!claimed(MAX_DEATHS, 0).is_deadly());
        assert!(claimed(MAX_DEATHS + 1, 0).is_deadly());
        assert!(!claimed(MAX_DEATHS + 1, 1).is_deadly());
    }

    #[test]
    fn waits_grow_to_an_hour() {
        let job = Job::SweepObjects {};
        let waits: Vec<i64> = (1..=8).map(|n| job.backoff_millis(n, 0)).collect();
        assert_eq!(waits, [1000, 4000, 16_000, 64_000, 256_000, 1_024_000, 3_600_000, 3_600_000]);
        assert_eq!(job.backoff_millis(1, 255), 1250);
        assert_eq!(job.backoff_millis(u32::MAX, 255), 4_500_000);
    }
}
