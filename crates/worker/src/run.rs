//! One run of one job, from its claim to its end.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;
use tokio_util::sync::CancellationToken;
use tonearm_domain::ClaimedJob;
use tonearm_service::{JobError, JobRun, Processing};

use crate::{WorkerConfig, lease};

/// Runs a claimed job and sees to what follows: nothing, another try, or the end of trying.
pub(crate) async fn run(
    processing: &Processing,
    claimed: ClaimedJob,
    config: WorkerConfig,
    shutdown: &CancellationToken,
) {
    let (job_id, kind, attempt) = (claimed.id, claimed.job.kind(), claimed.attempt);
    if claimed.is_deadly() {
        let reason = "the process doing it died every time";
        tracing::error!(%job_id, kind, attempt, reason, "gave up a job");
        log_trouble(&claimed, processing.give_up(&claimed, reason).await);
        return;
    }
    let cancel = shutdown.child_token();
    let job_run = JobRun { claimed: claimed.clone(), cancel: cancel.clone() };
    // A panic is a fault of ours, but it must not take the worker with it or leave the job in waiting.
    let work = AssertUnwindSafe(processing.run(&job_run)).catch_unwind();
    let outcome = tokio::select! {
        outcome = work => outcome.unwrap_or_else(|_| Err(JobError::internal("an internal error"))),
        never = lease::keep(processing, &claimed, config, &cancel) => match never {},
    };
    match outcome {
        Ok(()) => tracing::debug!(%job_id, kind, attempt, "finished a job"),
        Err(JobError::LeaseLost) => {
            tracing::warn!(%job_id, kind, attempt, "lost the lease of a job; its new owner goes on");
        }
        Err(JobError::Cancelled) if shutdown.is_cancelled() => {
            log_trouble(&claimed, processing.catalog().return_lease(&claimed).await);
        }
        Err(JobError::Cancelled) => {
            // What it worked on was deleted: the next run finds nothing to do. Or its lease was lost: then the job is
            // another's, and this changes nothing.
            let now = processing.ambient().now();
            log_trouble(&claimed, processing.catalog().retry_job(&claimed, now, "cancelled").await);
        }
        Err(error) => retry_or_give_up(processing, &claimed, &error).await,
    }
}

async fn retry_or_give_up(processing: &Processing, claimed: &ClaimedJob, error: &JobError) {
    let (job_id, kind, attempt) = (claimed.id, claimed.job.kind(), claimed.attempt);
    let details = with_sources(error);
    if matches!(error, JobError::Retry(_)) && claimed.is_last_attempt() {
        tracing::error!(%job_id, kind, attempt, error = details, "gave up a job");
        log_trouble(claimed, processing.give_up(claimed, &error.to_string()).await);
        return;
    }
    let [jitter] = processing.ambient().random::<1>();
    let wait = claimed.job.backoff_millis(claimed.failures + 1, jitter);
    tracing::warn!(%job_id, kind, attempt, error = details, wait_ms = wait, "a job failed and will be retried");
    let run_at = processing.ambient().now().plus_millis(wait);
    log_trouble(claimed, processing.catalog().retry_job(claimed, run_at, &error.to_string()).await);
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

/// Trouble in ending a job is only logged: its lease runs out, and it is taken up again.
fn log_trouble<T, E: std::fmt::Display>(claimed: &ClaimedJob, result: Result<T, E>) {
    if let Err(error) = result {
        tracing::warn!(job_id = %claimed.id, %error, "could not record how a job ended");
    }
}
