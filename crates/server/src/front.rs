//! Passes each request to the edge, or to the router for everything else.

use std::future::ready;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::response::IntoResponse as _;
use axum::{Json, Router};
use futures::future::BoxFuture;
use hyper::body::{Body as _, Incoming};
use hyper::header::{HOST, HeaderValue, STRICT_TRANSPORT_SECURITY};
use hyper::{HeaderMap, Request, Response, StatusCode, Version};
use serde_json::json;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;
use tonearm_domain::{Ambient, ClientAddress, RequestId, StoredAddresses};
use tonearm_edge::Edge;
use tower::ServiceExt;

use crate::deadline_body::DeadlineBody;
use crate::limits::{ClientDeadlines, ServerLimits};
use crate::proxies::TrustedProxies;
use crate::{request_metrics, traces};

/// The value of `Strict-Transport-Security` (RFC 6797). It does not apply to subdomains.
const A_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// The parts of a front.
pub struct FrontParts {
    /// The edge, if this node delivers.
    pub edge: Option<Edge>,
    /// The proxies that are trusted to report where a request came from.
    pub proxies: Arc<TrustedProxies>,
    /// Answers requests that are not for the edge.
    pub router: Router,
    /// Time and randomness.
    pub ambient: Ambient,
    /// Whether clients reach this service by HTTPS, and must use nothing else for a year.
    pub is_https: bool,
    /// How much of clients' addresses is logged.
    pub stored_addresses: StoredAddresses,
    /// How long clients may take to send what they announce.
    pub limits: ServerLimits,
}

/// Answers all requests of a node.
#[derive(Clone)]
pub struct Front {
    pub(crate) edge: Option<Edge>,
    pub(crate) proxies: Arc<TrustedProxies>,
    router: Router,
    pub(crate) ambient: Ambient,
    is_https: bool,
    stored_addresses: StoredAddresses,
    /// The runtime for requests that are not for the edge.
    runtime: Handle,
    patience: ClientDeadlines,
    /// Set once the warning about an untrusted proxy was logged.
    has_warned: Arc<AtomicBool>,
}

/// What is known of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Connection {
    /// Where it comes from.
    pub(crate) address: SocketAddr,
    /// Whether a delivery thread serves it.
    pub(crate) is_in_lane: bool,
}

impl Front {
    /// Answers requests that are not for the edge on the runtime that this is called on.
    pub fn new(parts: FrontParts) -> Self {
        let FrontParts { edge, proxies, router, ambient, is_https, stored_addresses, limits } = parts;
        Self {
            edge,
            proxies,
            router,
            ambient,
            is_https,
            stored_addresses,
            runtime: Handle::current(),
            patience: limits.client_deadlines(),
            has_warned: Arc::default(),
        }
    }

    /// Answers a request. Requests for objects go directly to the edge: their paths differ from all others, and most
    /// requests are for objects.
    ///
    /// Boxed, so that the memory of the future is freed before the response is sent, which may take long.
    pub(crate) fn answer(
        &self,
        request: Request<Incoming>,
        connection: Connection,
    ) -> BoxFuture<'static, Response<Body>> {
        if request.version() == Version::HTTP_11 && request.headers().get_all(HOST).iter().count() != 1 {
            return Box::pin(ready(self.without_host()));
        }
        match self.edge_for(request.uri().path()) {
            Some(edge) => {
                let edge = edge.clone();
                let mut request = request;
                let client = self.client(connection, request.headers());
                request.extensions_mut().insert(client);
                Box::pin(async move { edge.serve(request).await })
            }
            None if connection.is_in_lane => {
                Box::pin(self.route_elsewhere(request.map(Body::new), connection))
            }
            None => Box::pin(self.route(request.map(Body::new), connection)),
        }
    }

    /// Answers a request that is not for the edge in a task of its own, on the runtime for such requests.
    pub(crate) fn route_elsewhere(
        &self,
        request: Request<Body>,
        connection: Connection,
    ) -> impl Future<Output = Response<Body>> + Send + 'static {
        let answer = AbortOnDropHandle::new(self.runtime.spawn(self.route(request, connection)));
        async move {
            answer.await.unwrap_or_else(|error| {
                tracing::error!(%error, "a request failed without a response");
                StatusCode::INTERNAL_SERVER_ERROR.into_response()
            })
        }
    }

    /// The address that a request comes from.
    pub(crate) fn client(&self, connection: Connection, headers: &HeaderMap) -> ClientAddress {
        ClientAddress::from(self.proxies.client(connection.address, headers).ip())
    }

    /// The edge, if the path is that of an object.
    pub(crate) fn edge_for(&self, path: &str) -> Option<&Edge> {
        self.edge.as_ref().filter(|_| Edge::owns(path))
    }

    /// Answers a request that is not for the edge.
    pub(crate) fn route(
        &self,
        mut request: Request<Body>,
        connection: Connection,
    ) -> impl Future<Output = Response<Body>> + Send + 'static {
        self.warn_of_proxy(connection.address, request.headers());
        let client = self.client(connection, request.headers());
        request.extensions_mut().insert(client);
        request.extensions_mut().insert(self.stored_addresses);
        let is_trusted = self.proxies.trusts(connection.address.ip());
        if let Some(trace) = traces::trace_of(request.headers(), is_trusted, &self.ambient) {
            request.extensions_mut().insert(trace);
        }
        let patience = self.patience;
        let request = request.map(|body| match body.is_end_stream() {
            true => body,
            false => Body::new(DeadlineBody::new(body, patience)),
        });
        let answered = self.router.clone().oneshot(request);
        let is_https = self.is_https;
        async move {
            let mut response = answered.await.unwrap_or_else(|never| match never {});
            if is_https {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, A_YEAR);
            }
            response
        }
    }

    /// The response to an HTTP/1.1 request that does not have exactly one `Host` header (RFC 9112, section 3.2).
    fn without_host(&self) -> Response<Body> {
        request_metrics::count_unrouted(StatusCode::BAD_REQUEST);
        let id: RequestId = self.ambient.credential_id();
        let body = json!({
            "ok": false,
            "message": "the request must have exactly one Host header",
            "code": "invalid_host",
            "api_request_id": id.to_string(),
        });
        (StatusCode::BAD_REQUEST, Json(body)).into_response()
    }

    fn warn_of_proxy(&self, peer: SocketAddr, headers: &HeaderMap) {
        if !self.has_warned.load(Ordering::Relaxed)
            && self.proxies.is_overlooked(peer, headers)
            && !self.has_warned.swap(true, Ordering::Relaxed)
        {
            tracing::warn!(
                "a proxy on this machine sends client addresses but is not trusted, so rate limits and sign-in throttling \
                 are off; set trusted_proxies"
            );
        }
    }
}
