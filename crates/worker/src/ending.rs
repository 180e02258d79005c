//! Records how a run ended that did not finish its job.

use std::error::Error;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_catalog::{CatalogError, Wait};
use tonearm_domain::{ClaimedJob, error_with_causes, outage_pause_millis};
use tonearm_service::{JobError, Processing, ThirdPartyFailure};

use crate::failure_streak::FailureStreak;
use crate::lease;

/// How many waiting jobs are released by each run that got past an outage. Each job that succeeds releases as many
/// again, so that thousands continue soon, while a part that fails again is not flooded.
const RELEASED_AT_ONCE: u64 = 200;

/// The shortest time between an outage and the first early retry of the same job.
const PROBE_AFTER: Duration = Duration::from_secs(20);

/// The pause between tries to record while the database is unavailable.
const RECORD_EVERY: Duration = Duration::from_secs(1);

/// How long recording is retried once the process is told to stop.
const LAST_PATIENCE: Duration = Duration::from_secs(3);

/// A run that met an outage.
pub(crate) struct Outage {
    pub(crate) outage: tonearm_domain::Outage,
    pub(crate) source: Box<dyn Error + Send + Sync>,
    pub(crate) ran_for: Duration,
}

/// Makes a job wait for the part of the service that failed.
pub(crate) async fn wait(
    processing: &Processing,
    claimed: &ClaimedJob,
    ended: Outage,
    shutdown: &CancellationToken,
) {
    let outage = ended.outage;
    let failed_at = processing.ambient().now();
    let since = claimed.failing_since.unwrap_or(failed_at);
    let [jitter] = processing.ambient().random::<1>();
    let failing_for = failed_at.unix_millis() - since.unix_millis();
    let pause = outage_pause_millis(outage, failing_for, jitter);
    let error = error_with_causes(ended.source.as_ref());
    match claimed.waits_for {
        Some(waited_for) if waited_for == outage => {
            tracing::debug!(%outage, error, wait_ms = pause, "a job is still waiting");
        }
        _ => tracing::warn!(%outage, error, wait_ms = pause, "a job is waiting"),
    }
    let reason = ended.source.to_string();
    record(claimed, shutdown, || async {
        // The pause begins when it can be recorded.
        let now = processing.ambient().now();
        let probe_at = is_shared(outage).then(|| now.plus_millis(probe_pause_millis(outage, ended.ran_for)));
        let run_at = now.plus_millis(pause);
        let wait = Wait { outage, failed_at, run_at, probe_at, reason: &reason };
        processing.catalog().wait_job(claimed, wait).await
    })
    .await;
}

/// Whether an outage begins and ends for all jobs alike, so that one of them can probe for the others. Internal errors
/// and lost sources do not: each job waits for something that concerns only itself.
const fn is_shared(outage: tonearm_domain::Outage) -> bool {
    !matches!(outage, tonearm_domain::Outage::Internal | tonearm_domain::Outage::Source)
}

/// A job whose attempts take long is retried early less often: at most a fifth of the time is spent on it. If a store
/// does not answer, attempts take long because they wait for it, so their duration says nothing.
fn probe_pause_millis(outage: tonearm_domain::Outage, ran_for: Duration) -> i64 {
    let longest = match outage {
        tonearm_domain::Outage::Store => PROBE_AFTER,
        _ => Duration::MAX,
    };
    lease::millis(ran_for.saturating_mul(4).clamp(PROBE_AFTER, longest))
}

/// Releases jobs that wait for a part of the service that has been seen to work.
pub(crate) async fn release(processing: &Processing, outage: tonearm_domain::Outage) {
    let now = processing.ambient().now();
    match processing.catalog().release_waiting(outage, now, RELEASED_AT_ONCE).await {
        Ok(0) => {}
        Ok(jobs) => tracing::info!(%outage, jobs, "an outage is over; releasing the jobs that waited"),
        // They are retried when they become due.
        Err(error) => tracing::warn!(%error, %outage, "could not release waiting jobs"),
    }
}

/// Retries a job after a failure of a third party, or gives it up.
pub(crate) async fn retry_or_give_up(
    processing: &Processing,
    claimed: &ClaimedJob,
    failure: &ThirdPartyFailure,
    shutdown: &CancellationToken,
) {
    let (reason, now) = (&failure.reason, processing.ambient().now());
    let [jitter] = processing.ambient().random::<1>();
    let Some(next) = claimed.next_try(failure.wait, jitter, now) else {
        tracing::error!(error = reason, "gave up a job");
        record(claimed, shutdown, || processing.give_up(claimed, reason)).await;
        return;
    };
    tracing::warn!(error = reason, wait_ms = next.pause_millis, "a job failed and will be retried");
    record(claimed, shutdown, || async {
        match next.is_failure {
            true => processing.catalog().retry_job(claimed, next.at, reason).await,
            false => processing.catalog().put_off_job(claimed, next.at, reason).await,
        }
    })
    .await;
}

/// An error while recording how a job ended.
pub(crate) trait Trouble: Error {
    /// Whether the database is unavailable, so that the same may work later.
    fn is_temporary(&self) -> bool;
}

impl Trouble for CatalogError {
    fn is_temporary(&self) -> bool {
        matches!(self, Self::Unavailable(_))
    }
}

impl Trouble for JobError {
    fn is_temporary(&self) -> bool {
        matches!(self, Self::Outage { outage: tonearm_domain::Outage::Database, .. })
    }
}

/// Records how a job ended, and retries until it succeeds. While the database is unavailable, no other worker can take
/// over the job. Afterwards, a worker that took it over holds another lease, under which this changes nothing. On
/// shutdown, recording is retried a little longer; then the lease expires.
pub(crate) async fn record<T, E, F>(
    claimed: &ClaimedJob,
    shutdown: &CancellationToken,
    mut attempt: impl FnMut() -> F,
) where
    E: Trouble,
    F: Future<Output = Result<T, E>>,
{
    let mut spell = FailureStreak::of("recording the result of a job");
    let mut last_try = None;
    loop {
        match attempt().await {
            Err(error) if !error.is_temporary() => {
                tracing::warn!(job_id = %claimed.id, %error, "could not record the result of a job");
                return;
            }
            result => {
                if spell.note(result).is_some() {
                    return;
                }
            }
        }
        if shutdown.is_cancelled() {
            let until = *last_try.get_or_insert_with(|| Instant::now() + LAST_PATIENCE);
            if Instant::now() >= until {
                tracing::warn!(job_id = %claimed.id, "the result of a job is not recorded; its lease will expire");
                return;
            }
        }
        tokio::select! {
            () = tokio::time::sleep(RECORD_EVERY) => {}
            () = shutdown.cancelled(), if last_try.is_none() => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use tonearm_domain::{CredentialId, Job, RecordId, Timestamp};

    use super::*;

    fn claimed() -> ClaimedJob {
        let now = Timestamp::from_unix_millis(0).unwrap();
        ClaimedJob {
            id: RecordId::from_parts(now, [0; 10]),
            job: Job::SweepObjects {},
            attempt: 1,
            failures: 0,
            deaths: 0,
            deaths_alone: 0,
            failing_since: None,
            waits_for: None,
            lease: CredentialId::from_random([0; 16]),
            leased_until: now,
            trace: None,
        }
    }

    /// How often recording is tried, and how many seconds that takes, if it works from the `works_from`-th try on.
    async fn tries(works_from: u32, error: fn() -> JobError, shutdown: &CancellationToken) -> (u32, u64) {
        let (count, began) = (Cell::new(0), Instant::now());
        record(&claimed(), shutdown, || {
            count.set(count.get() + 1);
            let result = if count.get() >= works_from { Ok(true) } else { Err(error()) };
            std::future::ready(result)
        })
        .await;
        (count.get(), began.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn an_end_is_recorded_as_soon_as_the_database_is_back() {
        let away = || JobError::outage(tonearm_domain::Outage::Database, "away");
        let shutdown = CancellationToken::new();
        assert_eq!(tries(1, away, &shutdown).await, (1, 0));
        assert_eq!(tries(601, away, &shutdown).await, (601, 600));
        // Another worker has the job: nothing is left to record.
        assert_eq!(tries(9, || JobError::LeaseLost, &shutdown).await, (1, 0));
        shutdown.cancel();
        assert_eq!(tries(u32::MAX, away, &shutdown).await, (4, 3));
    }

    #[test]
    fn long_attempts_are_repeated_less_often() {
        use tonearm_domain::Outage::{Disk, Store};
        assert_eq!(probe_pause_millis(Disk, Duration::from_millis(10)), 20_000);
        assert_eq!(probe_pause_millis(Disk, Duration::from_secs(600)), 2_400_000);
        assert_eq!(probe_pause_millis(Store, Duration::from_secs(600)), 20_000);
    }
}
