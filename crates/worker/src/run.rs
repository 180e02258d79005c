//! One run of one job, from its claim to its end.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_domain::{ClaimedJob, Outage};
use tonearm_service::{JobError, JobRun, Processing};
use tonearm_telemetry::{JobOutcome, Stopwatch};
use tracing::{Instrument, Span};

use crate::config::WorkerConfig;
use crate::ending;
use crate::lease::{self, HeldLease};

/// Runs a claimed job and handles the outcome: nothing, a retry, a wait, or giving up.
pub(crate) async fn run(
    processing: &Processing,
    held: HeldLease,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) {
    let span = tonearm_telemetry::job_span(&held.job);
    run_in_span(processing, held, config, shutdown).instrument(span).await;
}

async fn run_in_span(
    processing: &Processing,
    held: HeldLease,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) {
    let claimed = &held.job;
    let (kind, class) = (claimed.job.kind(), claimed.job.queue().class());
    if claimed.is_deadly() {
        let reason =
            "the server process died in each attempt, so the job is probably the cause; it can be retried";
        tracing::error!(reason, "gave up a job");
        tonearm_telemetry::failed_job(kind, "worker_died");
        processing.runs().failed(class);
        ending::record(claimed, shutdown, || processing.give_up(claimed, reason)).await;
        return;
    }
    let (began, watch) = (Instant::now(), Stopwatch::start());
    let outcome = attempt_once(processing, &held, config, shutdown).await;
    count(kind, &outcome, watch);
    match &outcome {
        Ok(()) => processing.runs().finished(class),
        Err(JobError::Outage { .. } | JobError::Retry(_)) => processing.runs().failed(class),
        Err(JobError::LeaseLost | JobError::Cancelled) => {}
    }
    let passed = claimed.waits_for.filter(|waited_for| is_past(*waited_for, &outcome));
    match outcome {
        Ok(()) => tracing::debug!("finished a job"),
        Err(JobError::LeaseLost) => tracing::warn!("lost the lease of a job; another worker has it now"),
        Err(JobError::Cancelled) if shutdown.is_cancelled() => {
            give_back(processing, claimed, shutdown).await;
        }
        Err(JobError::Cancelled) => {
            // Either what it worked on was deleted, and the next run finds nothing to do. Or its lease was lost: then
            // another worker has the job, and this changes nothing.
            let now = processing.ambient().now();
            ending::record(claimed, shutdown, || processing.catalog().retry_job(claimed, now, "cancelled"))
                .await;
        }
        Err(JobError::Outage { outage, source }) => {
            let ended = ending::Outage { outage, source, ran_for: began.elapsed() };
            ending::wait(processing, claimed, ended, shutdown).await;
        }
        Err(JobError::Retry(failure)) => {
            ending::retry_or_give_up(processing, claimed, &failure, shutdown).await;
        }
    }
    if let Some(outage) = passed {
        ending::release(processing, outage).await;
    }
}

/// Counts a run that has ended.
fn count(kind: &'static str, outcome: &Result<(), JobError>, watch: Stopwatch) {
    let (ended, cause) = match outcome {
        Ok(()) => (JobOutcome::Finished, None),
        Err(JobError::Outage { outage, .. }) => (JobOutcome::Failed, Some(outage.as_str())),
        Err(JobError::Retry(_)) => (JobOutcome::Failed, Some("third_party")),
        Err(JobError::LeaseLost | JobError::Cancelled) => (JobOutcome::Stopped, None),
    };
    tonearm_telemetry::ended_job(kind, ended, watch.elapsed());
    let span = Span::current();
    span.record("outcome", cause.unwrap_or(ended.as_str()));
    if let Some(cause) = cause {
        tonearm_telemetry::note_failure(&span);
        tonearm_telemetry::failed_job(kind, cause);
    }
}

/// Returns a job untouched, because the process stops.
pub(crate) async fn give_back(processing: &Processing, claimed: &ClaimedJob, shutdown: &CancellationToken) {
    ending::record(claimed, shutdown, || processing.catalog().return_lease(claimed)).await;
}

async fn attempt_once(
    processing: &Processing,
    held: &HeldLease,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) -> Result<(), JobError> {
    let lost = shutdown.child_token();
    let cancel = lost.child_token();
    let job_run = JobRun { claimed: held.job.clone(), cancel: cancel.clone() };
    // A panic is a bug of ours, but it must not end the worker or leave the job waiting.
    let work = AssertUnwindSafe(processing.run(&job_run)).catch_unwind();
    let outcome = tokio::select! {
        outcome = work => outcome.unwrap_or_else(|_| Err(JobError::internal("an internal error"))),
        never = lease::keep(processing, held, config, &lost) => match never {},
    };
    let was_stopped_for_lease = lost.is_cancelled() && !shutdown.is_cancelled();
    match outcome {
        Err(JobError::LeaseLost) => tonearm_telemetry::lost_lease(),
        Err(JobError::Cancelled) if was_stopped_for_lease => tonearm_telemetry::lost_lease(),
        _ => {}
    }
    outcome
}

/// Whether a run got past the outage that the previous run met. Other jobs that wait for it may then continue too.
fn is_past(waited_for: Outage, outcome: &Result<(), JobError>) -> bool {
    match outcome {
        Ok(()) | Err(JobError::Retry(_)) => true,
        Err(JobError::Outage { outage, .. }) => *outage != waited_for && *outage != Outage::Database,
        Err(JobError::LeaseLost | JobError::Cancelled) => false,
    }
}

#[cfg(test)]
mod tests {
    use tonearm_service::ThirdPartyFailure;

    use super::*;

    #[test]
    fn only_what_ran_to_an_end_shows_that_an_outage_is_over() {
        let failure = ThirdPartyFailure { reason: "their server is down".to_owned(), wait: None };
        let past = |outcome| is_past(Outage::Store, &outcome);
        assert!(past(Ok(())));
        assert!(past(Err(JobError::Retry(failure))));
        assert!(past(Err(JobError::outage(Outage::Disk, "full"))));
        assert!(!past(Err(JobError::outage(Outage::Store, "away"))));
        // The database may fail before anything else was tried.
        assert!(!past(Err(JobError::outage(Outage::Database, "away"))));
        assert!(!past(Err(JobError::LeaseLost)));
        assert!(!past(Err(JobError::Cancelled)));
    }
}
