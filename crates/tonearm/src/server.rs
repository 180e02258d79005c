//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::direct::{Direct, Ended};
use crate::front::{Connection, Front};
use crate::progress::{Patience, Progress, Watched};
use crate::rewound::Rewound;
use crate::tls::HTTP2;

/// Bounds on what a connection may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections at once; more wait in the system's queue.
    pub max_connections: usize,
    /// How long a request's head, or the beginning of TLS, may take to arrive; also how long a connection may be idle.
    pub header_timeout: Duration,
    /// How long a client may take nothing of what it is sent.
    pub send_timeout: Duration,
    /// How long open requests may take once shutdown has begun.
    pub drain: Duration,
}

impl ServerLimits {
    fn patience(self) -> Patience {
        Patience { head: self.header_timeout, send: self.send_timeout }
    }
}

/// What serves connections.
pub(crate) struct Server {
    pub(crate) front: Front,
    pub(crate) limits: ServerLimits,
    /// Where connections begin with TLS.
    pub(crate) tls: Option<TlsAcceptor>,
}

/// Serves what comes to `listener` until `shutdown`, then drains.
pub(crate) async fn serve(listener: TcpListener, server: Server, shutdown: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let limits = server.limits;
    let connections = Arc::new(Semaphore::new(limits.max_connections));
    let server = Arc::new(server);
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
        let (server, watcher, stopped) = (server.clone(), graceful.watcher(), shutdown.clone());
        tokio::spawn(async move {
            if let Some(begun) = server.begin(stream, &stopped).await {
                server.converse(begun, address, watcher).await;
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

/// What connections to clients that speak HTTP/2 without TLS begin with; no method of HTTP/1 does.
const PREFACE: &[u8] = b"PRI ";

impl Server {
    /// Answers requests for objects, or waits for TLS, until the HTTP server is needed. Nothing is kept for a
    /// connection that never begins but this.
    async fn begin(&self, stream: TcpStream, stopped: &CancellationToken) -> Option<Begun> {
        match &self.tls {
            Some(tls) => stopped.run_until_cancelled(self.begin_tls(tls, stream)).await?,
            None => self.begin_plain(stream, stopped).await,
        }
    }

    async fn begin_tls(&self, tls: &TlsAcceptor, stream: TcpStream) -> Option<Begun> {
        match tokio::time::timeout(self.limits.header_timeout, Box::pin(tls.accept(stream))).await {
            Ok(Ok(stream)) => {
                let http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
                return Some(Begun::Tls { stream: Box::new(stream), http2 });
            }
            Ok(Err(error)) => tracing::debug!(%error, "a connection did not begin well"),
            Err(_) => tracing::debug!("a connection did not begin in time"),
        }
        None
    }

    async fn begin_plain(&self, mut stream: TcpStream, stopped: &CancellationToken) -> Option<Begun> {
        let progress = Progress::default();
        let ended = tokio::select! {
            biased;
            ended = Direct::new(&mut stream, self.front.edge.as_ref(), &progress).converse() => ended,
            () = progress.given_up(self.limits.patience()) => {
                tracing::debug!("a client said nothing, or took nothing of what it was sent");
                return None;
            }
            () = progress.idle_after(stopped.cancelled()) => return None,
        };
        match ended {
            Ok(Ended::Other(read)) => {
                let http2 = read.starts_with(PREFACE);
                Some(Begun::Plain { stream: Rewound::new(read, stream), http2 })
            }
            Ok(Ended::Closed) => None,
            Err(error) => {
                tracing::debug!(%error, "a connection ended early");
                None
            }
        }
    }

    async fn converse(&self, begun: Begun, address: SocketAddr, watcher: Watcher) {
        match begun {
            Begun::Plain { stream, http2 } => {
                self.serve(stream, http2, Connection { address, plain: true }, watcher).await;
            }
            Begun::Tls { stream, http2 } => {
                self.serve(*stream, http2, Connection { address, plain: false }, watcher).await;
            }
        }
    }

    fn serve<S>(&self, stream: S, http2: bool, connection: Connection, watcher: Watcher) -> BoxFuture<'_, ()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let progress = Arc::new(Progress::default());
        let stream = TokioIo::new(Watched::new(stream, progress.clone()));
        let front = self.front.clone();
        let service = service_fn(move |request| front.answer(request, connection));
        if http2 {
            let served = http2_of(self.limits).serve_connection(stream, service);
            Box::pin(self.watch(served, progress, watcher))
        } else {
            let served = http1_of(self.limits).serve_connection(stream, service);
            Box::pin(self.watch(served, progress, watcher))
        }
    }

    /// Serves a connection until it ends, or its client has stalled.
    async fn watch<C>(&self, connection: C, progress: Arc<Progress>, watcher: Watcher)
    where
        C: GracefulConnection<Error = hyper::Error> + Send,
    {
        tokio::select! {
            biased;
            served = watcher.watch(connection) => if let Err(error) = served {
                tracing::debug!(%error, "a connection ended early");
            },
            () = progress.given_up(self.limits.patience()) => {
                tracing::debug!("a client took nothing of what it was sent");
            }
        }
    }
}

/// A connection that has begun.
enum Begun {
    Plain { stream: Rewound<TcpStream>, http2: bool },
    Tls { stream: Box<TlsStream<TcpStream>>, http2: bool },
}

/// The most of a head or a body that a connection keeps for a client that does not take it.
const BUFFER_BYTES: usize = 64 * 1024;

fn http1_of(limits: ServerLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(BUFFER_BYTES);
    builder
}

fn http2_of(limits: ServerLimits) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .keep_alive_interval(Some(limits.header_timeout))
        .max_concurrent_streams(100)
        .max_send_buf_size(BUFFER_BYTES)
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
