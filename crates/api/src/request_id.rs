//! Every request has an id, generated here and never taken from the client.

use std::convert::Infallible;
use std::time::Instant;

use axum::extract::{FromRequestParts, MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderName, HeaderValue};
use tonearm_domain::{Ambient, RequestId, StoredAddresses};
use tonearm_telemetry::ArrivedRequest;
use tracing::{Instrument, Span};

use crate::address::address;
use crate::error;

const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The id of the request that is being answered, for `api_request_id`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CurrentRequest(pub(crate) RequestId);

impl<S: Send + Sync> FromRequestParts<S> for CurrentRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let current = parts.extensions.get().copied();
        Ok(current.expect("the layer `identify` is around every route"))
    }
}

/// Assigns the request id, logs the request once, and writes the body of an error response.
pub(crate) async fn identify(State(ambient): State<Ambient>, mut request: Request, next: Next) -> Response {
    let id: RequestId = ambient.credential_id();
    request.extensions_mut().insert(CurrentRequest(id));
    // The route pattern, because paths contain credentials.
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let stored = request.extensions().get::<StoredAddresses>().copied().unwrap_or_default();
    let address = address(request.extensions()).map(|address| stored.of(address));
    let arrived = ArrivedRequest { method: request.method().as_str(), route: route.as_deref(), address };
    let span = tonearm_telemetry::request_span(id, arrived);
    tonearm_telemetry::continue_trace(&span, request.extensions().get().copied());
    let started = Instant::now();
    async move {
        let response = next.run(request).await;
        // The body of a stored response contains the id of the request that it was first sent for.
        let id = response.extensions().get().map_or(id, |CurrentRequest(first)| *first);
        let mut response = error::write_out(response, id);
        if let Ok(value) = HeaderValue::try_from(id.to_string()) {
            response.headers_mut().insert(X_REQUEST_ID, value);
        }
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        let (span, status) = (Span::current(), response.status());
        span.record("status", status.as_u16());
        if status.is_server_error() {
            tonearm_telemetry::note_failure(&span);
        }
        tracing::debug!(micros, "answered");
        response
    }
    .instrument(span)
    .await
}
