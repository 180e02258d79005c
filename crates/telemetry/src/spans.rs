//! The spans of requests and jobs. Their fields are in each line that is logged within them, and on the spans of
//! traces.
//!
//! They have the level `ERROR`, so that no filter by level leaves them out. Fields that begin with `otel.` are for
//! traces only.

use std::fmt::Display;

use tonearm_domain::ClaimedJob;
use tracing::field::{Empty, display};
use tracing::{Span, error_span};

/// A request as it arrived.
#[derive(Debug, Clone, Copy)]
pub struct ArrivedRequest<'a, A> {
    /// The method.
    pub method: &'a str,
    /// The pattern of its route, because paths contain credentials. None if no route matches.
    pub route: Option<&'a str>,
    /// Where it comes from, as far as that may be logged.
    pub address: Option<A>,
}

/// The span of a request. It is not yet part of a trace that began elsewhere: see [`crate::continue_trace`].
pub fn request_span<A: Display>(request_id: impl Display, arrived: ArrivedRequest<'_, A>) -> Span {
    let ArrivedRequest { method, route, address } = arrived;
    let method = known_method(method);
    let address = address.map(display);
    error_span!(
        "request",
        otel.kind = "server",
        otel.name = %format_args!("{method} {}", route.unwrap_or("unknown")),
        otel.status_code = Empty,
        %request_id,
        method,
        route,
        address,
        organization_id = Empty,
        track_id = Empty,
        status = Empty,
    )
}

/// The method, unless a client made it up: span names must be few, and none may come from a client.
fn known_method(method: &str) -> &str {
    const KNOWN: [&str; 9] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"];
    if KNOWN.contains(&method) { method } else { "_OTHER" }
}

/// The span of a run of a job. It continues the trace of what queued the job.
pub fn job_span(claimed: &ClaimedJob) -> Span {
    let job = &claimed.job;
    let span = error_span!(
        "job",
        otel.kind = "consumer",
        otel.name = %format_args!("job {}", job.kind()),
        otel.status_code = Empty,
        job_id = %claimed.id,
        job.kind = job.kind(),
        job.class = job.queue().class().as_str(),
        job.attempt = claimed.attempt,
        organization_id = job.organization_id().map(display),
        track_id = job.track_id().map(display),
        outcome = Empty,
    );
    crate::continue_trace(&span, claimed.trace);
    span
}

/// Records the organization of the current request.
pub fn note_organization(id: impl Display) {
    Span::current().record("organization_id", display(id));
}

/// Records the track that the current request is about.
pub fn note_track(id: impl Display) {
    Span::current().record("track_id", display(id));
}

/// Marks a span as failed.
pub fn note_failure(span: &Span) {
    span.record("otel.status_code", "ERROR");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_clients_make_up_are_one() {
        assert_eq!(
            ["PATCH", "patch", "BREW /secret", ""].map(known_method),
            ["PATCH", "_OTHER", "_OTHER", "_OTHER"]
        );
    }
}
