//! Events that are recorded through the facade.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use metrics::{counter, histogram};

use crate::labels::{Budget, JobOutcome, Outcome, Purpose, StoreOperation, StoreOutcome};
use crate::recording::is_on;

/// A warning is logged at most once in this time.
const WARN_EVERY: Duration = Duration::from_secs(60);

/// A request that was not for an object was answered. `route` is the pattern of the route, and `surface` the part of
/// the service that it belongs to.
pub fn requested(route: &str, surface: &'static str, status: u16, elapsed: Option<Duration>) {
    let Some(elapsed) = elapsed else { return };
    let (route, status) = (route.to_owned(), status.to_string());
    counter!("tonearm_http_requests_total", "route" => route.clone(), "status" => status.clone())
        .increment(1);
    let labels = [("surface", surface.to_owned()), ("route", route), ("status", status)];
    histogram!("tonearm_http_request_duration_seconds", &labels).record(elapsed);
}

/// A run of a job ended.
pub fn ended_job(kind: &'static str, outcome: JobOutcome, elapsed: Option<Duration>) {
    let Some(elapsed) = elapsed else { return };
    histogram!("tonearm_job_duration_seconds", "kind" => kind, "outcome" => outcome.as_str()).record(elapsed);
}

/// A run of a job failed for this reason.
pub fn failed_job(kind: &'static str, cause: &'static str) {
    if is_on() {
        counter!("tonearm_job_failures_total", "kind" => kind, "cause" => cause).increment(1);
    }
}

/// A job will not be retried.
pub fn gave_up_job(kind: &'static str) {
    if is_on() {
        counter!("tonearm_jobs_given_up_total", "kind" => kind).increment(1);
    }
}

/// A worker lost the lease of a job that it ran.
pub fn lost_lease() {
    if is_on() {
        counter!("tonearm_job_leases_lost_total").increment(1);
    }
}

/// A child process ended.
pub fn ran_process(purpose: Purpose, elapsed: Duration) {
    if is_on() {
        histogram!("tonearm_media_process_duration_seconds", "purpose" => purpose.as_str()).record(elapsed);
    }
}

/// Listeners were not counted, because their network had too many, or the node.
pub fn left_out_listeners(reason: &'static str, count: u64) {
    if is_on() && count > 0 {
        counter!("tonearm_listeners_uncounted_total", "reason" => reason).increment(count);
    }
}

/// A holder gave up bytes of a budget, because others had fewer. Logged at most once a minute.
pub fn displaced(budget: Budget) {
    static WARNED_AT: [Mutex<Option<Instant>>; Budget::ALL.len()] =
        [const { Mutex::new(None) }; Budget::ALL.len()];
    let budget_name = budget.as_str();
    if is_on() {
        counter!("tonearm_budget_displacements_total", "budget" => budget_name).increment(1);
    }
    let mut warned_at = WARNED_AT[budget as usize].lock().unwrap_or_else(PoisonError::into_inner);
    if warned_at.is_none_or(|at| at.elapsed() >= WARN_EVERY) {
        *warned_at = Some(Instant::now());
        tracing::warn!(
            budget = budget_name,
            "the memory for these is used up; ending the oldest ones of whoever has most of it"
        );
    }
}

/// A webhook was sent in one attempt.
pub fn sent_webhook(outcome: Outcome) {
    if is_on() {
        counter!("tonearm_webhook_attempts_total", "outcome" => outcome.as_str()).increment(1);
    }
}

/// A provider of transcription was called.
pub fn transcribed(outcome: Outcome) {
    if is_on() {
        counter!("tonearm_transcription_requests_total", "outcome" => outcome.as_str()).increment(1);
    }
}

/// An attempt to fetch a file from another server ended.
pub fn imported(outcome: Outcome) {
    if is_on() {
        counter!("tonearm_imports_total", "outcome" => outcome.as_str()).increment(1);
    }
}

/// A certificate order ended.
pub fn ordered_certificate(outcome: Outcome) {
    if is_on() {
        counter!("tonearm_certificate_orders_total", "outcome" => outcome.as_str()).increment(1);
    }
}

/// A transaction has begun, after waiting this long.
pub fn began_transaction(waited: Option<Duration>) {
    let Some(waited) = waited else { return };
    histogram!("tonearm_database_wait_seconds").record(waited);
}

/// Spans of traces were not exported: the collector did not take them, or there were too many.
pub fn dropped_spans(count: u64) {
    if is_on() {
        counter!("tonearm_trace_spans_dropped_total").increment(count);
    }
}

/// An operation of the store ended.
pub fn used_store(operation: StoreOperation, outcome: StoreOutcome, elapsed: Duration) {
    if is_on() {
        let (operation, outcome) = (operation.as_str(), outcome.as_str());
        histogram!("tonearm_store_operation_duration_seconds", "operation" => operation, "outcome" => outcome)
            .record(elapsed);
    }
}

/// Makes the recorder export, from the start and with zeros, the series that are known in advance: a rate cannot be
/// computed from a series that begins with its first event.
pub fn declare(job_kinds: &[&'static str]) {
    counter!("tonearm_job_leases_lost_total").increment(0);
    counter!("tonearm_trace_spans_dropped_total").increment(0);
    for budget in Budget::ALL.map(Budget::as_str) {
        counter!("tonearm_budget_displacements_total", "budget" => budget).increment(0);
    }
    for reason in ["network", "full"] {
        counter!("tonearm_listeners_uncounted_total", "reason" => reason).increment(0);
    }
    for outcome in Outcome::ALL.map(Outcome::as_str) {
        counter!("tonearm_webhook_attempts_total", "outcome" => outcome).increment(0);
        counter!("tonearm_transcription_requests_total", "outcome" => outcome).increment(0);
        counter!("tonearm_imports_total", "outcome" => outcome).increment(0);
    }
    for outcome in [Outcome::Success, Outcome::Failure].map(Outcome::as_str) {
        counter!("tonearm_certificate_orders_total", "outcome" => outcome).increment(0);
    }
    for kind in job_kinds {
        counter!("tonearm_job_failures_total", "kind" => *kind, "cause" => "internal").increment(0);
        counter!("tonearm_jobs_given_up_total", "kind" => *kind).increment(0);
    }
    for purpose in Purpose::ALL.map(Purpose::as_str) {
        drop(histogram!("tonearm_media_process_duration_seconds", "purpose" => purpose));
    }
    for operation in StoreOperation::ALL.map(StoreOperation::as_str) {
        let outcome = StoreOutcome::Success.as_str();
        drop(
            histogram!("tonearm_store_operation_duration_seconds", "operation" => operation, "outcome" => outcome),
        );
    }
    // One of the kinds is enough for the metric to exist: each series has a bucket for every limit.
    if let Some(kind) = job_kinds.first() {
        let outcome = JobOutcome::Finished.as_str();
        drop(histogram!("tonearm_job_duration_seconds", "kind" => *kind, "outcome" => outcome));
    }
    drop(histogram!("tonearm_database_wait_seconds"));
    let labels = [("surface", "unknown"), ("route", "unknown"), ("status", "404")];
    drop(histogram!("tonearm_http_request_duration_seconds", &labels));
}
