//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tonearm_telemetry::{OpenConnection, Protocol};

use crate::acceptor::Acceptor;
use crate::connected::Connected;
use crate::front::{Connection, Front};
use crate::http1;
use crate::http2::Http2;
use crate::interim::{Interim, WithInterim};
use crate::lanes::Lanes;
use crate::prefixed_stream::PrefixedStream;
use crate::progress::{ClientDeadlines, CloseReason, Progress, Watched};

/// Bounds on what a connection may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections at once; more wait in the system's queue.
    pub max_connections: usize,
    /// How long a request's head may take to arrive, the first one together with the beginning of TLS; also how long a
    /// connection may be idle.
    pub header_timeout: Duration,
    /// How long a client may take nothing of what it is sent.
    pub send_timeout: Duration,
    /// Bytes a second that a client has to take of what it is sent, as a mean over that time.
    pub min_bytes_per_second: u32,
    /// How long open requests may take once shutdown has begun.
    pub drain: Duration,
    /// Threads that answer requests for objects; none: as many as suit the machine.
    pub delivery_threads: Option<NonZeroUsize>,
}

impl ServerLimits {
    pub(crate) fn patience(self) -> ClientDeadlines {
        ClientDeadlines {
            head: self.header_timeout,
            send: self.send_timeout,
            bytes_per_second: self.min_bytes_per_second,
        }
    }
}

/// What serves connections.
pub struct Server {
    /// What answers requests.
    pub front: Front,
    /// Bounds on connections.
    pub limits: ServerLimits,
    /// Where connections begin with TLS.
    pub tls: Option<Acceptor>,
    /// Whether clients may speak HTTP/2 without TLS.
    pub is_http2_without_tls: bool,
    /// A place for each connection that there may be.
    pub places: Arc<Semaphore>,
}

/// Serves what comes to `listener` until `shutdown`, then drains.
pub async fn serve(listener: TcpListener, server: Server, shutdown: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let limits = server.limits;
    let places = Arc::clone(&server.places);
    let mut lanes = server.lanes(&shutdown);
    let server = Arc::new(server);
    loop {
        let (stream, address, permit) = tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = accept(&listener, &places) => match accepted {
                Some(accepted) => accepted,
                None => break,
            },
        };
        prepare(&stream);
        let protocol = if server.tls.is_some() { Protocol::Http1Tls } else { Protocol::Http1 };
        let connected = Connected {
            server: server.clone(),
            address,
            watcher: graceful.watcher(),
            permit,
            open: OpenConnection::new(protocol),
            first_head_by: Some(Instant::now() + limits.header_timeout),
        };
        match lanes.next() {
            Some(lane) => connected.begin_at(lane.clone(), stream),
            None => {
                tokio::spawn(connected.run(stream, shutdown.clone(), false));
            }
        }
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.drain) => tracing::warn!("requests were still open after shutdown.drain_seconds"),
    }
}

/// How long a client that is told to go may take.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long the HTTP server waits for another request before it gives a connection back to its delivery thread. Clients that ask
/// for much follow within it, and for the others it does not matter how long handing over takes.
const LINGER: Duration = Duration::from_millis(100);

impl Server {
    /// The threads that answer requests for objects, where there are such requests.
    fn lanes(&self, stopped: &CancellationToken) -> Lanes {
        if self.front.edge.is_none() {
            return Lanes::none();
        }
        Lanes::start(self.limits.delivery_threads, stopped).unwrap_or_else(|error| {
            tracing::warn!(%error, "could not start delivery threads; all connections share the other threads");
            Lanes::none()
        })
    }

    pub(crate) fn serve_http1<S>(
        &self,
        stream: S,
        progress: Progress,
        connection: Connection,
        watcher: Watcher,
    ) -> BoxFuture<'_, ()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (progress, interim) = (Arc::new(progress), Interim::default());
        let stream = WithInterim::new(Watched::new(stream, progress.clone()), interim.clone());
        let (front, asked) = (self.front.clone(), progress.clone());
        let service = service_fn(move |mut request| {
            asked.begin_answer();
            let unanswered = interim.begin(&mut request);
            front.answer(request, connection).map(|response| {
                drop(unanswered);
                Ok::<_, Infallible>(response)
            })
        });
        let served =
            watcher.watch(http1::builder(self.limits).serve_connection(TokioIo::new(stream), service));
        Box::pin(self.watch(served, progress).map(drop))
    }

    /// Serves HTTP/1.1 until all that was asked for is answered and no more follows, and gives the connection back; `None` where
    /// it has ended.
    pub(crate) fn serve_until_idle(
        &self,
        stream: PrefixedStream<TcpStream>,
        progress: Progress,
        connection: Connection,
        stopped: CancellationToken,
    ) -> BoxFuture<'_, Option<http1::Idle>> {
        Box::pin(async move {
            let (limits, progress) = (self.limits, Arc::new(progress));
            let until = http1::IdleLimits { linger: LINGER, stopped: &stopped };
            let served =
                http1::serve_until_idle(&self.front, limits, connection, stream, progress.clone(), until);
            self.watch(served, progress).await.flatten()
        })
    }

    pub(crate) fn serve_http2<S>(
        &self,
        stream: S,
        progress: Progress,
        connection: Connection,
        stopped: CancellationToken,
    ) -> BoxFuture<'_, ()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let progress = Arc::new(progress);
        let stream = Watched::new(stream, progress.clone());
        let (front, patience) = (self.front.clone(), self.limits.patience());
        // Whoever has asked for nothing for long is told so, too, and may ask again over another connection.
        let ending = stopped.child_token();
        let http2 = Http2 { front, connection, patience, stopped: ending.clone() };
        Box::pin(async move {
            let mut served = Box::pin(http2.serve(stream, progress.clone()));
            tokio::select! {
                biased;
                served = &mut served => drop(unless_failed(served)),
                why = progress.given_up(patience) => {
                    tracing::debug!(?why, "closing a connection because its client is too slow or silent");
                    if why == CloseReason::Silent {
                        ending.cancel();
                        // A client that does not go is left.
                        let _ = tokio::time::timeout(FAREWELL, served).await;
                    }
                }
            }
        })
    }

    /// Serves a connection until it ends or is given back, or its client has stalled.
    async fn watch<T>(
        &self,
        served: impl Future<Output = hyper::Result<T>> + Send,
        progress: Arc<Progress>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            served = served => unless_failed(served),
            why = progress.given_up(self.limits.patience()) => {
                tracing::debug!(?why, "closing a connection because its client is too slow or silent");
                None
            }
        }
    }
}

/// What came of a connection, unless it failed.
pub(crate) fn unless_failed<T, E: std::fmt::Display>(served: Result<T, E>) -> Option<T> {
    served.inspect_err(|error| tracing::debug!(%error, "a connection ended early")).ok()
}

/// The most that the kernel takes beyond what it can send at once, in bytes.
const MOST_UNSENT: u32 = 64 * 1024;

/// Has the kernel send at once what it can, and take little of what it cannot: megabytes for each slow listener otherwise,
/// and over HTTP/2 they go out before what a listener seeks, though their stream was cancelled.
fn prepare(stream: &TcpStream) {
    let prepared =
        stream.set_nodelay(true).and_then(|()| SockRef::from(stream).set_tcp_notsent_lowat(MOST_UNSENT));
    if let Err(error) = prepared {
        tracing::debug!(%error, "could not set the options of a connection");
    }
}

/// The next connection, with its place among those allowed.
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = places.clone().acquire_owned().await.ok()?;
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
