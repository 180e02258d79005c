//! The listener that answers `/metrics` and nothing else.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};
use tokio_util::sync::CancellationToken;

use super::recorder;
use super::scrape::Sources;
use super::text;
use crate::start_error::StartError;

/// Maximum number of concurrent connections. More wait in the system's queue.
const MOST_CONNECTIONS: usize = 16;

/// How long a connection may last. It serves only one request.
const CONNECTION_DEADLINE: Duration = Duration::from_secs(30);

/// How long the head of the request may take to arrive.
const HEAD_DEADLINE: Duration = Duration::from_secs(5);

/// How often the recorded values of histograms are summed up, whether or not metrics are requested.
const SUM_UP_EVERY: Duration = Duration::from_secs(5);

/// Listens at an address.
pub(crate) async fn bind(address: SocketAddr) -> Result<(TcpListener, SocketAddr), StartError> {
    let failed = |source| StartError::Listen { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    Ok((listener, address))
}

/// Answers requests to `listener` until it is cancelled, and then stops at once.
pub(crate) async fn serve(listener: TcpListener, sources: Sources, stop: CancellationToken) {
    let sources = Arc::new(sources);
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut open = JoinSet::new();
    let mut ticks = interval(SUM_UP_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            _ = ticks.tick() => recorder::sum_up(),
            accepted = accept(&listener, &places) => {
                let Some((stream, place)) = accepted else { continue };
                let sources = sources.clone();
                open.spawn(async move {
                    answer(stream, sources).await;
                    drop(place);
                });
            }
            Some(_) = open.join_next() => {}
        }
    }
    // This ends the connections that are still open.
    drop(open);
}

/// Accepts the next connection, with its permit. The future can be dropped while it waits.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, OwnedSemaphorePermit)> {
    let place = places.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, _)) => Some((stream, place)),
        Err(error) => {
            tracing::warn!(%error, "could not accept a connection for metrics");
            tokio::time::sleep(Duration::from_millis(50)).await;
            None
        }
    }
}

async fn answer(stream: TcpStream, sources: Arc<Sources>) {
    let service = service_fn(move |request| {
        let sources = sources.clone();
        async move { Ok::<_, Infallible>(respond(&request, &sources).await) }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_DEADLINE)
        .keep_alive(false)
        .serve_connection(TokioIo::new(stream), service);
    match timeout(CONNECTION_DEADLINE, served).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(%error, "a connection for metrics ended early"),
        Err(_) => tracing::debug!("a connection for metrics took too long"),
    }
}

async fn respond(request: &Request<Incoming>, sources: &Sources) -> Response {
    if request.uri().path() != "/metrics" {
        return (StatusCode::NOT_FOUND, "There are only metrics here, at /metrics.\n").into_response();
    }
    let is_head = match *request.method() {
        Method::GET => false,
        Method::HEAD => true,
        _ => {
            let sentence = "Metrics can only be read, with GET or HEAD.\n";
            return (StatusCode::METHOD_NOT_ALLOWED, [(ALLOW, "GET, HEAD")], sentence).into_response();
        }
    };
    let body = if is_head { Body::empty() } else { sources.collect().await.into() };
    ([(CONTENT_TYPE, text::CONTENT_TYPE), (CACHE_CONTROL, "no-store")], body).into_response()
}
