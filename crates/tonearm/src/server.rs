//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::Request;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tower::util::MapRequest;

use crate::proxies::TrustedProxies;

/// Bounds on what a connection may cost.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServerLimits {
    /// Connections at once; more wait in the system's queue.
    pub(crate) max_connections: usize,
    /// How long a request's head may take to arrive.
    pub(crate) header_timeout: Duration,
    /// How long open requests may take once shutdown has begun.
    pub(crate) drain: Duration,
}

/// Serves `app` on `listener` until `shutdown`, then drains.
pub(crate) async fn serve(
    listener: TcpListener,
    app: Router,
    limits: ServerLimits,
    proxies: TrustedProxies,
    shutdown: CancellationToken,
) {
    let graceful = GracefulShutdown::new();
    let connections = Arc::new(Semaphore::new(limits.max_connections));
    let builder = Arc::new(builder(limits));
    let proxies = Arc::new(proxies);
    loop {
        let (stream, address, permit) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &connections) => match accepted {
                Some(accepted) => accepted,
                None => break,
            },
        };
        // Small answers must not wait for more: a player's next request depends on each.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "could not turn off Nagle's algorithm");
        }
        let proxies = Arc::clone(&proxies);
        let service =
            TowerToHyperService::new(MapRequest::new(app.clone(), move |mut request: Request<Incoming>| {
                let client = proxies.client(address, request.headers());
                request.extensions_mut().insert(ConnectInfo(client));
                request
            }));
        let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.drain) => tracing::warn!("requests were still open after the time to finish"),
    }
}

fn builder(limits: ServerLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        .max_buf_size(64 * 1024)
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(Duration::from_secs(30)))
        .max_concurrent_streams(250)
        .max_header_list_size(32 * 1024);
    builder
}

/// The next connection, with its place among those allowed.
async fn accept(
    listener: &TcpListener,
    connections: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = connections.clone().acquire_owned().await.ok()?;
    loop {
        match listener.accept().await {
            Ok((stream, address)) => return Some((stream, address, permit)),
            Err(error) => {
                // Out of file descriptors, or the peer was gone already: others must still be served.
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
}
