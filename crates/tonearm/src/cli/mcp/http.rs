//! The protocol over HTTP (`--http`), for callers that each have their own API key.

mod origin;
mod refused;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::{AUTHORIZATION, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;
use tonearm_domain::{ClientAddress, Held, Shares};

pub(super) use self::origin::Origin;
use self::refused::Refused;
use super::message::read;
use super::server::ToolServer;
use crate::cli::bulk::{Stop, is_sendable};
use crate::cli::{Failure, print};

/// Connections at a time, of which each network has its share.
const MOST_CONNECTIONS: u64 = 512;

/// Requests at a time that have arrived, of which each network has its share. Each of them makes at most one at a time to
/// the service.
const MOST_REQUESTS: u64 = 128;

/// How long the head of a request may take to arrive, from the moment that one is waited for.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the body of a request may take to arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a request may take once it has arrived: longer than a tool.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(150);

/// The longest body of a request, in bytes.
const LONGEST_BODY: usize = 256 * 1024;

/// How long requests that are under way may take when the server stops.
const DRAIN: Duration = Duration::from_secs(10);

/// Who may call the server.
pub(super) struct Access {
    /// The names by which it is called; none for those of this machine itself.
    pub(super) hosts: Vec<String>,
    /// The origins whose pages may call it.
    pub(super) origins: Vec<Origin>,
}

/// What is known of a request while it is under way. A call holds it to its end, which can be after the response.
#[derive(Clone)]
pub(super) struct UnderWay(Arc<State>);

struct State {
    is_key_refused: AtomicBool,
    /// One of [`MOST_REQUESTS`].
    _place: Held,
}

impl UnderWay {
    fn new(place: Held) -> Self {
        Self(Arc::new(State { is_key_refused: AtomicBool::new(false), _place: place }))
    }

    /// The service did not accept the key.
    pub(super) fn refuse_key(&self) {
        self.0.is_key_refused.store(true, Ordering::Relaxed);
    }

    fn is_key_refused(&self) -> bool {
        self.0.is_key_refused.load(Ordering::Relaxed)
    }
}

/// Serves until it is stopped.
pub(super) async fn serve(
    address: SocketAddr,
    access: Access,
    server: ToolServer,
    stop: Stop,
) -> Result<(), Failure> {
    let problem = |error: std::io::Error| Failure::Failed(format!("--http {address}: {error}"));
    let listener = TcpListener::bind(address).await.map_err(problem)?;
    let local = listener.local_addr().map_err(problem)?;
    print::complain(format_args!("Serving the tools of {} at http://{local}/mcp", server.service()));
    let router = router(&access, server);
    let connections = Shares::new(MOST_CONNECTIONS);
    let tracker = TaskTracker::new();
    while let Some(accepted) = stop.unless_interrupted(listener.accept()).await {
        // The connection was lost before it was accepted, or there was no file descriptor for it. Later ones may
        // succeed.
        let Ok((socket, peer)) = accepted else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let client = ClientAddress::from(peer.ip());
        let Some(place) = connections.take(client.site()) else { continue };
        let (router, stop) = (router.clone().layer(Extension(client)), stop.clone());
        tracker.spawn(async move {
            converse(socket, router, &stop).await;
            drop(place);
        });
    }
    tracker.close();
    // Requests that take longer are cut off when the program ends.
    let _ = tokio::time::timeout(DRAIN, tracker.wait()).await;
    Ok(())
}

async fn converse(socket: TcpStream, router: Router, stop: &Stop) {
    let service = TowerToHyperService::new(router);
    // HTTP/1.1 only: a server that detects the HTTP version waits for as long as the client sends nothing.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(connection);
    // A client that disconnects early is not an error.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stop.closed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

fn router(access: &Access, server: ToolServer) -> Router {
    // Without sessions nothing is kept between requests, so any number of servers can stand behind a load balancer.
    let mut config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LONGEST_BODY)
        .with_allowed_origins(access.origins.iter().map(Origin::with_port))
        .enforce_origin_validation();
    if !access.hosts.is_empty() {
        config = config.with_allowed_hosts(access.hosts.iter().cloned());
    }
    let gate = Gate { server: server.clone(), requests: Shares::new(MOST_REQUESTS) };
    let service = StreamableHttpService::new(
        move || Ok(server.clone()),
        Arc::new(NeverSessionManager::default()),
        config,
    );
    Router::new()
        .route_service("/mcp", service)
        .layer(middleware::from_fn(move |client, request, next| admit(gate.clone(), client, request, next)))
        .layer(origin::cors(&access.origins))
}

/// Decides which requests are let in.
#[derive(Clone)]
struct Gate {
    server: ToolServer,
    requests: Shares,
}

/// Lets in who has something like a key, once the request has arrived and while there is room. Whether the key is valid,
/// the service decides.
async fn admit(
    gate: Gate,
    Extension(client): Extension<ClientAddress>,
    request: Request,
    next: Next,
) -> Response {
    if bearer(request.headers()).is_none() {
        let text = "send an API key of the service in the header `Authorization: Bearer <API_KEY>`";
        return unauthorized(Refused::new(StatusCode::UNAUTHORIZED, text).into_response());
    }
    let (parts, body) = request.into_parts();
    let body = match tokio::time::timeout(BODY_TIMEOUT, axum::body::to_bytes(body, LONGEST_BODY)).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => {
            return Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large").into_response();
        }
        Err(_) => return Refused::new(StatusCode::REQUEST_TIMEOUT, "the body took too long").into_response(),
    };
    let Some(place) = gate.requests.take(client.site()) else {
        let text = "too many requests at a time; try again shortly";
        let refused = Refused::new(StatusCode::SERVICE_UNAVAILABLE, text);
        return ([(RETRY_AFTER, "1")], refused).into_response();
    };
    let under_way = UnderWay::new(place);
    let run = answer(&gate.server, (parts, body), &under_way, next);
    match tokio::time::timeout(REQUEST_TIMEOUT, run).await {
        Ok(response) if under_way.is_key_refused() => unauthorized(response),
        Ok(response) => response,
        Err(_) => Refused::new(StatusCode::GATEWAY_TIMEOUT, "the request took too long").into_response(),
    }
}

async fn answer(
    server: &ToolServer,
    (mut parts, body): (Parts, Bytes),
    under_way: &UnderWay,
    next: Next,
) -> Response {
    let message = match read(&body) {
        Ok(message) => message,
        Err(no_message) => return Refused::from(no_message).into_response(),
    };
    // Tools ask the service anyway.
    if let ClientJsonRpcMessage::Request(request) = message
        && !matches!(request.request, ClientRequest::CallToolRequest(_))
        && let Some(key) = bearer(&parts.headers)
        && let Some(sentence) = server.refusal_of_key(key).await
    {
        under_way.refuse_key();
        return Refused::new(StatusCode::UNAUTHORIZED, sentence).of(request.id).into_response();
    }
    parts.extensions.insert(under_way.clone());
    next.run(Request::from_parts(parts, body.into())).await
}

fn unauthorized(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

/// The key of a request.
pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, key) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    let key = key.trim();
    (scheme.eq_ignore_ascii_case("bearer") && is_sendable(key)).then_some(key)
}
