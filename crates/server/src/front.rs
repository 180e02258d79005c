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
use hyper::header::{AUTHORIZATION, HOST, HeaderValue, RETRY_AFTER, STRICT_TRANSPORT_SECURITY};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use serde_json::json;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;
use tonearm_domain::{Ambient, BodyBudget, ClientAddress, Held, RequestId, Shares, StoredAddresses};
use tonearm_edge::Edge;
use tower::ServiceExt;

use crate::deadline_body::DeadlineBody;
use crate::limits::{ClientDeadlines, ServerLimits};
use crate::paced_body::{PIECE, PacedBody};
use crate::proxies::TrustedProxies;
use crate::{request_metrics, traces};

/// The value of `Strict-Transport-Security` (RFC 6797). It does not apply to subdomains.
const A_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Bytes of responses in memory that all clients together may leave unread.
const MOST_UNREAD_BYTES: u64 = 128 << 20;

/// Bytes of request bodies that are collected in memory at the same time.
const MOST_COLLECTED_BYTES: u64 = 128 << 20;

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
    /// The bytes of responses that are in memory while clients read them: by key, and by network. Keys are not checked
    /// here, so that made-up ones only count for their network.
    unread: [Shares; 2],
    /// The bytes of request bodies in memory.
    collected: Shares,
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
            unread: [(); 2].map(|()| Shares::new(MOST_UNREAD_BYTES)),
            collected: Shares::new(MOST_COLLECTED_BYTES),
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
        if !request.body().is_end_stream() {
            let budget = BodyBudget { bytes: self.collected.clone(), network: client.network() };
            request.extensions_mut().insert(budget);
            request = request.map(|body| Body::new(DeadlineBody::new(body, patience)));
        }
        let (unread, key) = (self.unread.clone(), request.headers().get(AUTHORIZATION).cloned());
        let is_safe = matches!(*request.method(), Method::GET | Method::HEAD);
        let answered = self.router.clone().oneshot(request);
        let (is_https, ambient) = (self.is_https, self.ambient.clone());
        async move {
            let response = answered.await.unwrap_or_else(|never| match never {});
            let sender = Sender { client, key };
            let mut response =
                paced(response, patience, &unread, sender).unwrap_or_else(|response| match is_safe {
                    // The request has changed nothing and can be sent again.
                    true => busy(&ambient),
                    false => *response,
                });
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

/// Who leaves a response unread.
struct Sender {
    client: ClientAddress,
    key: Option<HeaderValue>,
}

impl Sender {
    /// Holds the bytes of a response, and says whether there was room. Nothing is held for the network of this machine:
    /// its address is that of a proxy, which all clients share.
    fn hold(self, [by_key, by_network]: &[Shares; 2], bytes: u64) -> (Vec<Held>, bool) {
        let key = self.key.map(|key| by_key.holder(key.as_bytes()));
        let network = self.client.network();
        let network = (!network.is_loopback()).then(|| by_network.holder(network));
        let mut held: Vec<Held> = key.into_iter().chain(network).collect();
        let has_room = held.iter_mut().all(|held| held.grow(bytes));
        (held, has_room)
    }
}

/// A response that must be read in time if it is large and in memory. It is an error if its client has left too much
/// unread already.
fn paced(
    response: Response<Body>,
    patience: ClientDeadlines,
    unread: &[Shares; 2],
    sender: Sender,
) -> Result<Response<Body>, Box<Response<Body>>> {
    // The size of a body that is not in memory is not known.
    let Some(size) = response.body().size_hint().exact().filter(|size| *size > PIECE as u64) else {
        return Ok(response);
    };
    let (held, has_room) = sender.hold(unread, size);
    let response = response.map(|body| Body::new(PacedBody::new(body, patience, held)));
    if has_room { Ok(response) } else { Err(Box::new(response)) }
}

/// The response to a client that has left too much unread.
fn busy(ambient: &Ambient) -> Response<Body> {
    let id: RequestId = ambient.credential_id();
    let body = json!({
        "ok": false,
        "message": "too many responses wait to be read; read those that were requested, and try again shortly",
        "code": "too_much_unread",
        "api_request_id": id.to_string(),
    });
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::routing::any;

    use super::*;

    /// The size of each response.
    const LARGE: usize = 4 << 20;

    fn front() -> Front {
        static RESPONSE: [u8; LARGE] = [0; LARGE];
        Front::new(FrontParts {
            edge: None,
            proxies: Arc::default(),
            router: Router::new().route("/", any(async || RESPONSE.as_slice())),
            ambient: tonearm_fixtures::ambient().0,
            is_https: false,
            stored_addresses: StoredAddresses::Whole,
            limits: ServerLimits {
                max_connections: 1,
                header_timeout: Duration::from_secs(30),
                send_timeout: Duration::from_secs(30),
                min_bytes_per_second: 500,
                drain: Duration::from_secs(30),
                delivery_threads: None,
            },
        })
    }

    #[tokio::test]
    async fn nobody_leaves_more_unread_than_their_share() {
        let front = front();
        let ask = async |method: Method, key: &'static str, address: &str| {
            let connection = Connection { address: address.parse().unwrap(), is_in_lane: false };
            let request = Request::builder().method(method).uri("/").header(AUTHORIZATION, key);
            front.route(request.body(Body::empty()).unwrap(), connection).await
        };
        let mut unread = Vec::new();
        let refused = loop {
            let response = ask(Method::GET, "one", "192.0.2.1:1").await;
            if response.status() != StatusCode::OK {
                break response;
            }
            unread.push(response);
        };
        assert_eq!((unread.len() * LARGE) as u64, MOST_UNREAD_BYTES / 2);
        assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(refused.headers()[RETRY_AFTER], "5");
        assert_eq!(ask(Method::GET, "one", "192.0.2.2:1").await.status(), StatusCode::SERVICE_UNAVAILABLE);
        let made_up = ask(Method::GET, "other", "192.0.2.1:1").await;
        assert_eq!(made_up.status(), StatusCode::SERVICE_UNAVAILABLE, "the network counts, too");
        assert_eq!(ask(Method::GET, "other", "192.0.2.2:1").await.status(), StatusCode::OK);
        // What was changed is told.
        assert_eq!(ask(Method::POST, "one", "192.0.2.1:1").await.status(), StatusCode::OK);
        unread.pop();
        assert_eq!(ask(Method::GET, "one", "192.0.2.1:1").await.status(), StatusCode::OK);
    }
}
