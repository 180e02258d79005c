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
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderName, HeaderValue, RETRY_AFTER,
    STRICT_TRANSPORT_SECURITY,
};
use hyper::{HeaderMap, Method, Request, Response, StatusCode, Version};
use serde_json::json;
use tokio::runtime::Handle;
use tokio_util::task::AbortOnDropHandle;
use tonearm_domain::{
    Ambient, BodyBudget, ByteBudget, ClientAddress, ErrorCode, HeldBytes, RequestId, RequestOrganization,
    StoredAddresses,
};
use tonearm_edge::Edge;
use tonearm_telemetry::Budget;
use tower::ServiceExt;
use tower_http::compression::Compression;

use crate::deadline_body::DeadlineBody;
use crate::limits::{ClientDeadlines, ServerLimits};
use crate::paced_body::{PIECE, PacedBody};
use crate::proxies::TrustedProxies;
use crate::unread_body::UnreadBody;
use crate::{request_metrics, traces};

/// The value of `Strict-Transport-Security` (RFC 6797). It does not apply to subdomains.
const A_YEAR: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// Bytes of responses in memory that all clients together may leave unread.
const MOST_UNREAD_BYTES: u64 = 128 << 20;

/// Bytes of request bodies that are collected in memory at the same time.
const MOST_COLLECTED_BYTES: u64 = 128 << 20;

/// Memory of the encoder of a response that is compressed, in bytes.
const ENCODER_BYTES: u64 = 256 << 10;

/// Marks a response that was stored.
const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

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
    /// The bytes of responses that are in memory while clients read them: by organization, and by network.
    unread: [ByteBudget; 2],
    /// The bytes of request bodies in memory.
    collected: ByteBudget,
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
            unread: [(); 2].map(|()| {
                ByteBudget::new(MOST_UNREAD_BYTES, || tonearm_telemetry::displaced(Budget::Responses))
            }),
            collected: ByteBudget::new(MOST_COLLECTED_BYTES, || tonearm_telemetry::displaced(Budget::Bodies)),
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
                let (edge, patience, unread_body) = (edge.clone(), self.patience, UnreadBody::default());
                let is_waiting = request.headers().contains_key(EXPECT);
                // Nobody reads it.
                let mut request = request.map(|body| match body.is_end_stream() {
                    true => Body::empty(),
                    false => unread_body.of(Body::new(DeadlineBody::new(Body::new(body), patience))),
                });
                let client = self.client(connection, request.headers());
                request.extensions_mut().insert(client);
                Box::pin(async move {
                    let mut response = edge.serve(request).await;
                    if !unread_body.is_over(is_waiting).await {
                        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
                    }
                    response
                })
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
        let (patience, unread_body) = (self.patience, UnreadBody::default());
        let is_multiplexed = request.version() > Version::HTTP_11;
        let is_waiting = request.headers().contains_key(EXPECT);
        if !request.body().is_end_stream() {
            let budget = BodyBudget { budget: self.collected.clone(), site: client.site() };
            request.extensions_mut().insert(budget);
            request = request.map(|body| unread_body.of(Body::new(DeadlineBody::new(body, patience))));
        }
        let sender = Sender::of(&request, client);
        request.extensions_mut().insert(sender.organization.clone());
        let (unread, ambient, is_https) = (self.unread.clone(), self.ambient.clone(), self.is_https);
        // Below the compression, which reads a response as fast as its client does.
        let paced =
            move |response| sender.paced(response, patience, &unread).unwrap_or_else(|_| busy(&ambient));
        let answers = ServiceExt::<Request<Body>>::map_response(self.router.clone(), paced);
        let answered = Compression::new(answers).oneshot(request);
        async move {
            let mut response = answered.await.unwrap_or_else(|never| match never {}).map(Body::new);
            if is_https {
                response.headers_mut().insert(STRICT_TRANSPORT_SECURITY, A_YEAR);
            }
            if !is_multiplexed && !unread_body.is_over(is_waiting).await {
                response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
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
            "code": ErrorCode::InvalidHost,
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

/// Who reads a response.
#[derive(Clone)]
struct Sender {
    client: ClientAddress,
    /// Known once the request is answered.
    organization: RequestOrganization,
    /// Whether the request changes nothing and can be sent again.
    is_safe: bool,
    /// Whether the response may be compressed.
    takes_encodings: bool,
}

/// The client has left too much unread already.
struct TooMuchUnread;

impl Sender {
    fn of<B>(request: &Request<B>, client: ClientAddress) -> Self {
        Self {
            client,
            organization: RequestOrganization::default(),
            is_safe: matches!(*request.method(), Method::GET | Method::HEAD),
            takes_encodings: request.headers().contains_key(ACCEPT_ENCODING),
        }
    }

    /// A response that must be read in time if it is large and takes memory.
    fn paced(
        self,
        response: Response<Body>,
        patience: ClientDeadlines,
        unread: &[ByteBudget; 2],
    ) -> Result<Response<Body>, TooMuchUnread> {
        let announced = || response.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok();
        let size = response.body().size_hint().exact().or_else(announced);
        if size.is_none_or(|size: u64| size <= PIECE as u64) || response.body().is_end_stream() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        let body = PacedBody::new(body, patience);
        // Nothing, for a public page that all responses share and that is not compressed.
        let bytes = body.own_bytes() + if self.takes_encodings { ENCODER_BYTES } else { 0 };
        let is_repeatable = self.is_safe || head.headers.contains_key(REPLAYED);
        let held = self.hold(unread, bytes, is_repeatable)?;
        Ok(Response::from_parts(head, Body::new(body.holding(held))))
    }

    /// Holds the bytes of a response. One that cannot be requested again takes the place of what the same client left
    /// unread before. Nothing is held for the network of this machine: its address is that of a proxy, which all clients
    /// share.
    fn hold(
        self,
        [by_organization, by_site]: &[ByteBudget; 2],
        bytes: u64,
        is_repeatable: bool,
    ) -> Result<Vec<HeldBytes>, TooMuchUnread> {
        let organization = self.organization.get().map(|id| by_organization.holder(id));
        let site = self.client.site();
        let site = (!site.is_loopback()).then(|| by_site.holder(site));
        let mut held: Vec<HeldBytes> = organization.into_iter().chain(site).collect();
        let has_room = held.iter_mut().all(|held| match is_repeatable {
            true => held.grow(bytes),
            false => held.grow_instead(bytes),
        });
        has_room.then_some(held).ok_or(TooMuchUnread)
    }
}

/// The response to a client that has left too much unread.
fn busy(ambient: &Ambient) -> Response<Body> {
    let id: RequestId = ambient.credential_id();
    let body = json!({
        "ok": false,
        "message": "too many responses wait to be read; read those that were requested, and try again shortly",
        "code": ErrorCode::TooMuchUnread,
        "api_request_id": id.to_string(),
    });
    (StatusCode::SERVICE_UNAVAILABLE, [(RETRY_AFTER, "5")], Json(body)).into_response()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use axum::middleware::{Next, from_fn};
    use axum::routing::any;
    use hyper::header::AUTHORIZATION;
    use hyper::http::request::Builder;
    use tonearm_domain::{OrganizationId, RecordId as _, Timestamp};

    use super::*;

    /// The size of each response.
    const LARGE: usize = 4 << 20;

    fn front() -> Front {
        static RESPONSE: [u8; LARGE] = [0; LARGE];
        let router = Router::new()
            .route("/v1/own", any(async || RESPONSE.to_vec()))
            .route("/v1/stored", any(async || ([(REPLAYED, "true")], RESPONSE.to_vec())))
            .route("/shared", any(async || RESPONSE.as_slice()))
            .layer(from_fn(async |request: Request<Body>, next: Next| {
                let key: u8 = request.headers()[AUTHORIZATION].to_str().unwrap().parse().unwrap();
                let id = OrganizationId::from_parts(Timestamp::from_unix_seconds(1).unwrap(), [key; 10]);
                RequestOrganization::note(request.extensions().get(), id);
                next.run(request).await
            }));
        Front::new(FrontParts {
            edge: None,
            proxies: Arc::default(),
            router,
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

    /// Sends a request of an organization, from an address.
    async fn ask(front: &Front, request: Builder, (key, address): (&str, &str)) -> Response<Body> {
        let connection = Connection { address: format!("{address}:1").parse().unwrap(), is_in_lane: false };
        front.route(request.header(AUTHORIZATION, key).body(Body::empty()).unwrap(), connection).await
    }

    /// The responses that a client leaves unread until it is refused one.
    async fn leave_unread(front: &Front, client: (&str, &str), encoding: &str) -> Vec<Response<Body>> {
        let mut unread = Vec::new();
        loop {
            let request = Request::get("/v1/own").header(ACCEPT_ENCODING, encoding);
            let response = ask(front, request, client).await;
            if response.status() != StatusCode::OK {
                assert_eq!(response.status(), StatusCode::SERVICE_UNAVAILABLE);
                assert_eq!(response.headers()[RETRY_AFTER], "5");
                return unread;
            }
            unread.push(response);
        }
    }

    async fn is_complete(response: Response<Body>) -> bool {
        axum::body::to_bytes(response.into_body(), LARGE).await.is_ok()
    }

    #[tokio::test]
    async fn nobody_leaves_more_unread_than_their_share() {
        let front = front();
        let status = async |request: Builder, client: (&'static str, &'static str)| {
            ask(&front, request, client).await.status()
        };
        let (own, one, refused) =
            (|| Request::get("/v1/own"), ("1", "192.0.2.1"), StatusCode::SERVICE_UNAVAILABLE);
        let mut unread = leave_unread(&front, one, "identity").await;
        assert_eq!(unread.len() as u64, MOST_UNREAD_BYTES / (LARGE as u64 + ENCODER_BYTES));
        assert_eq!(status(own(), ("1", "192.0.2.2")).await, refused, "the organization counts, too");
        assert_eq!(status(Request::post("/v1/stored"), one).await, refused);
        // What was changed is told, instead of what was left unread longest.
        let told = ask(&front, Request::post("/v1/own"), one).await;
        assert_eq!(told.status(), StatusCode::OK);
        assert!(!is_complete(unread.remove(0)).await);
        // What takes no memory is not refused.
        assert_eq!(status(Request::get("/shared"), one).await, StatusCode::OK);
        // Somebody else gets room, and the response that was left unread longest is over.
        let other = ask(&front, own(), ("2", "192.0.2.2")).await;
        assert_eq!(other.status(), StatusCode::OK);
        assert!(!is_complete(unread.remove(0)).await);
        assert!(is_complete(told).await && is_complete(other).await && is_complete(unread.remove(0)).await);
        assert_eq!(status(own(), one).await, StatusCode::OK);
    }

    #[tokio::test]
    async fn one_customer_with_many_networks_leaves_room_for_another() {
        let front = front();
        let mut unread = Vec::new();
        for network in 0..=MOST_UNREAD_BYTES / LARGE as u64 {
            let address = format!("[2001:db8:0:{network:x}::1]");
            unread.push(ask(&front, Request::get("/v1/own"), ("1", &address)).await);
        }
        let answered = ask(&front, Request::get("/v1/own"), ("2", "198.51.100.1")).await;
        assert_eq!(answered.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn many_networks_leave_room_for_another() {
        for encoding in ["identity", "gzip"] {
            let front = front();
            let mut unread = Vec::new();
            for network in 1..=22 {
                let client = (network.to_string(), format!("192.0.2.{network}"));
                unread.push(leave_unread(&front, (&client.0, &client.1), encoding).await);
            }
            let compressed =
                unread.iter().flatten().all(|one| one.headers().contains_key("content-encoding"));
            assert_eq!(compressed, encoding == "gzip");
            let answered = ask(&front, Request::get("/v1/own"), ("99", "198.51.100.1")).await;
            assert_eq!(answered.status(), StatusCode::OK, "{encoding}");
            assert!(is_complete(answered).await);
            let mut complete = 0;
            for response in unread.into_iter().flatten() {
                complete += u64::from(is_complete(response).await);
            }
            assert!(complete * (LARGE as u64) < MOST_UNREAD_BYTES, "{encoding}: {complete} were in memory");
        }
    }
}
