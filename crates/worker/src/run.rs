//! One run of one job, from its claim to its end.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{ClaimedJob, Outage};
use tonearm_service::{JobError, JobRun, Processing};

use crate::config::WorkerConfig;
use crate::ending;
use crate::lease::{self, HeldLease};

/// Runs a claimed job and sees to what follows: nothing, another try, a wait, or the end of trying.
pub(crate) async fn run(
    processing: &Processing,
    held: HeldLease,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) {
    let claimed = &held.job;
    let (job_id, kind, attempt) = (claimed.id, claimed.job.kind(), claimed.attempt);
    if claimed.is_deadly() {
        let reason =
            "the server process died in each attempt, so the job is probably the cause; it can be retried";
        tracing::error!(%job_id, kind, attempt, reason, "gave up a job");
        ending::record(claimed, shutdown, || processing.give_up(claimed, reason)).await;
        return;
    }
    let began = Instant::now();
    let outcome = attempt_once(processing, &held, config, shutdown).await;
    let passed = claimed.waits_for.filter(|waited_for| is_past(*waited_for, &outcome));
    match outcome {
        Ok(()) => tracing::debug!(%job_id, kind, attempt, "finished a job"),
        Err(JobError::LeaseLost) => {
            tracing::warn!(%job_id, kind, attempt, "lost the lease of a job; another worker has it now");
        }
        Err(JobError::Cancelled) if shutdown.is_cancelled() => {
            give_back(processing, claimed, shutdown).await;
        }
        Err(JobError::Cancelled) => {
            // What it worked on was deleted: the next run finds nothing to do. Or its lease was lost: then the job is
            // another's, and this changes nothing.
            let now = processing.ambient().now();
            ending::record(claimed, shutdown, || processing.catalog().retry_job(claimed, now, "cancelled"))
                .await;
        }
        Err(JobError::Outage { outage, source }) => {
            let ended = ending::Outage { outage, source, ran_for: began.elapsed() };
            ending::wait(processing, claimed, ended, shutdown).await;
        }
        Err(error @ JobError::Retry(_)) => {
            ending::retry_or_give_up(processing, claimed, &error, shutdown).await;
        }
    }
    if let Some(outage) = passed {
        ending::release(processing, outage).await;
    }
}

/// Gives a job back untouched, as the process stops.
pub(crate) async fn give_back(processing: &Processing, claimed: &ClaimedJob, shutdown: &CancellationToken) {
    ending::record(claimed, shutdown, || processing.catalog().return_lease(claimed)).await;
}

async fn attempt_once(
    processing: &Processing,
    held: &HeldLease,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) -> Result<(), JobError> {
    let cancel = shutdown.child_token();
    let job_run = JobRun { claimed: held.job.clone(), cancel: cancel.clone() };
    // A panic is a fault of ours, but it must not take the worker with it or leave the job in waiting.
    let work = AssertUnwindSafe(processing.run(&job_run)).catch_unwind();
    tokio::select! {
        outcome = work => outcome.unwrap_or_else(|_| Err(JobError::internal("an internal error"))),
        never = lease::keep(processing, held, config, &cancel) => match never {},
    }
}

/// Whether a run got past what the one before it had failed for: then others that wait for it may go on too.
fn is_past(waited_for: Outage, outcome: &Result<(), JobError>) -> bool {
    match outcome {
        Ok(()) | Err(JobError::Retry(_)) => true,
        Err(JobError::Outage { outage, .. }) => *outage != waited_for && *outage != Outage::Database,
        Err(JobError::LeaseLost | JobError::Cancelled) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_ran_to_an_end_shows_that_an_outage_is_over() {
        let past = |outcome| is_past(Outage::Store, &outcome);
        assert!(past(Ok(())));
        assert!(past(Err(JobError::Retry("their server is down".into()))));
        assert!(past(Err(JobError::outage(Outage::Disk, "full"))));
        assert!(!past(Err(JobError::outage(Outage::Store, "away"))));
        // The database may fail before anything else was asked.
        assert!(!past(Err(JobError::outage(Outage::Database, "away"))));
        assert!(!past(Err(JobError::LeaseLost)));
        assert!(!past(Err(JobError::Cancelled)));
    }
}
