//! The span of each page request: log lines within it carry its id, and it may be part of a trace.

use axum::extract::{FromRequestParts, MatchedPath, RawPathParams, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::request::Parts;
use tonearm_domain::{Ambient, OrganizationId, RequestId, StoredAddresses, TrackId};
use tonearm_telemetry::ArrivedRequest;
use tracing::{Instrument, Span};

use crate::session;

/// Runs the request in a span with its id, so that all log lines carry it.
pub(crate) async fn identify(State(ambient): State<Ambient>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    let span = span(ambient.credential_id(), &parts);
    async move {
        note_ids(&mut parts).await;
        let response = next.run(Request::from_parts(parts, body)).await;
        let (span, status) = (Span::current(), response.status());
        span.record("status", status.as_u16());
        if status.is_server_error() {
            tonearm_telemetry::note_failure(&span);
        }
        response
    }
    .instrument(span)
    .await
}

fn span(id: RequestId, parts: &Parts) -> Span {
    let stored = parts.extensions.get::<StoredAddresses>().copied().unwrap_or_default();
    let arrived = ArrivedRequest {
        method: parts.method.as_str(),
        // The route pattern, because paths may hold credentials.
        route: parts.extensions.get::<MatchedPath>().map(MatchedPath::as_str),
        address: session::address(parts).map(|address| stored.of(address)),
    };
    let span = tonearm_telemetry::request_span(id, arrived);
    tonearm_telemetry::continue_trace(&span, parts.extensions.get().copied());
    span
}

/// Records the organization and the track that the path names.
async fn note_ids(parts: &mut Parts) {
    let Ok(parameters) = RawPathParams::from_request_parts(parts, &()).await else { return };
    for (name, text) in &parameters {
        match name {
            "organization_id" if text.parse::<OrganizationId>().is_ok() => {
                tonearm_telemetry::note_organization(text);
            }
            "track_id" if text.parse::<TrackId>().is_ok() => tonearm_telemetry::note_track(text),
            _ => {}
        }
    }
}
