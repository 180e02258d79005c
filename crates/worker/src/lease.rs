//! Keeping a lease alive while its job runs.

use std::convert::Infallible;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_domain::ClaimedJob;
use tonearm_service::Processing;

use crate::config::WorkerConfig;

/// A claimed job, and the time until which its lease certainly holds.
#[derive(Debug)]
pub(crate) struct HeldLease {
    pub(crate) job: ClaimedJob,
    /// Counted from before the request to the catalog, so that the catalog's lease never ends earlier. Uses a monotonic
    /// clock: a wall clock that is wrong or jumps neither ends a lease nor prolongs it.
    pub(crate) until: Instant,
}

/// Renews the lease until it is lost; then cancels the run, which ends by itself. Never returns: drop it when the job
/// is done.
///
/// While the catalog is unavailable, the renewal is retried until the lease has expired: then another worker may
/// already have the job. A process that was stopped for longer than its lease tries once more when it continues: it
/// still holds the job if no other worker has taken it over. If one has, anything that this process records is refused,
/// because each recording checks the lease in its transaction.
pub(crate) async fn keep(
    processing: &Processing,
    held: &HeldLease,
    config: WorkerConfig,
    cancel: &CancellationToken,
) -> Infallible {
    let (claimed, mut until, mut fails) = (&held.job, held.until, false);
    loop {
        // Towards the end of the lease, renewals are more frequent, so that the last moments are not slept through.
        let left = until.saturating_duration_since(Instant::now());
        tokio::time::sleep(config.heartbeat.min(left)).await;
        let requested_at = Instant::now();
        match renew(processing, claimed, config).await {
            Some(Ok(true)) => {
                until = requested_at + config.lease;
                fails = false;
                continue;
            }
            Some(Ok(false)) => break,
            Some(Err(error)) if !fails => {
                tracing::warn!(job_id = %claimed.id, %error, "could not renew the lease of a job; trying again");
                fails = true;
            }
            Some(Err(_)) | None => {}
        }
        if Instant::now() >= until {
            tracing::warn!(job_id = %claimed.id, "the lease of a job expired while the database was unavailable");
            break;
        }
        // If the database refuses at once, wait before the next try.
        tokio::time::sleep(Duration::from_millis(200).min(config.heartbeat)).await;
    }
    cancel.cancel();
    std::future::pending().await
}

/// Tries to renew the lease. None if no answer came within a heartbeat.
async fn renew(
    processing: &Processing,
    claimed: &ClaimedJob,
    config: WorkerConfig,
) -> Option<Result<bool, tonearm_catalog::CatalogError>> {
    let lease_end = processing.ambient().now().plus_millis(millis(config.lease));
    tokio::time::timeout(config.heartbeat, processing.catalog().renew_lease(claimed, lease_end)).await.ok()
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
