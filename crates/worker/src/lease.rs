//! Keeping a lease alive while its job runs.

use std::convert::Infallible;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tonearm_domain::ClaimedJob;
use tonearm_service::Processing;

use crate::WorkerConfig;

/// Renews the lease until it is lost; then cancels the run, which ends by itself. Never returns: drop it when the job
/// is done.
///
/// A catalog that cannot be reached is asked again until the lease has run out by its own clock: then another
/// worker may already have the job.
pub(crate) async fn keep(
    processing: &Processing,
    claimed: &ClaimedJob,
    config: WorkerConfig,
    cancel: &CancellationToken,
) -> Infallible {
    let mut held_until = claimed.leased_until;
    loop {
        tokio::time::sleep(config.heartbeat).await;
        let now = processing.ambient().now();
        let until = now.plus_millis(millis(config.lease));
        match processing.catalog().renew_lease(claimed, until).await {
            Ok(true) => held_until = until,
            Ok(false) => break,
            Err(error) => {
                tracing::warn!(job_id = %claimed.id, %error, "could not renew the lease of a job");
                if now >= held_until {
                    break;
                }
            }
        }
    }
    cancel.cancel();
    std::future::pending().await
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
