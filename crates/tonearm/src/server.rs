//! Accepts connections and serves them until told to stop, then lets the open ones finish.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::direct::{Direct, Ended};
use crate::front::{Connection, Front};
use crate::http2::{GATHERED_BYTES, Http2};
use crate::lanes::{Lane, Lanes};
use crate::progress::{GivenUp, Patience, Progress, Socket, Watched};
use crate::rewound::Rewound;
use crate::tls::HTTP2;

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
    pub(crate) fn patience(self) -> Patience {
        Patience {
            head: self.header_timeout,
            send: self.send_timeout,
            bytes_per_second: self.min_bytes_per_second,
        }
    }
}

/// What serves connections.
pub(crate) struct Server {
    pub(crate) front: Front,
    pub(crate) limits: ServerLimits,
    /// Where connections begin with TLS.
    pub(crate) tls: Option<TlsAcceptor>,
    /// Whether clients may speak HTTP/2 without TLS.
    pub(crate) is_http2_without_tls: bool,
}

/// Serves what comes to `listener` until `shutdown`, then drains.
pub(crate) async fn serve(listener: TcpListener, server: Server, shutdown: CancellationToken) {
    let graceful = GracefulShutdown::new();
    let limits = server.limits;
    let connections = Arc::new(Semaphore::new(limits.max_connections));
    let mut lanes = server.lanes(&shutdown);
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
        let connected = Connected {
            server: server.clone(),
            address,
            watcher: graceful.watcher(),
            permit,
            first_head_by: Some(Instant::now() + limits.header_timeout),
        };
        match lanes.next() {
            Some(lane) => connected.begin_at(lane, stream),
            None => {
                tokio::spawn(connected.run(stream, shutdown.clone(), false));
            }
        }
    }
    drop(listener);
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(limits.drain) => tracing::warn!("requests were still open after the time to finish"),
    }
}

/// A connection that was accepted, with what ends with it.
struct Connected {
    server: Arc<Server>,
    address: SocketAddr,
    watcher: Watcher,
    permit: OwnedSemaphorePermit,
    /// By when the first request has to be there, whatever comes before it; none once it is.
    first_head_by: Option<Instant>,
}

impl Connected {
    /// Answers requests for objects on a thread for them, and all else on the runtime of this one. A connection with TLS
    /// stays on its thread.
    fn begin_at(mut self, lane: &Lane, stream: TcpStream) {
        let (elsewhere, stopped) = (Handle::current(), lane.stopped.clone());
        let Some(stream) = taken_over(stream.into_std()) else { return };
        lane.runtime.spawn(async move {
            let Some(stream) = taken_over(TcpStream::from_std(stream)) else { return };
            if self.server.tls.is_some() {
                return self.run(stream, stopped, true).await;
            }
            let Some((read, stream)) = self.answer_objects(stream, &stopped).await else { return };
            let Some(stream) = taken_over(stream.into_std()) else { return };
            elsewhere.spawn(async move {
                let Some(stream) = taken_over(TcpStream::from_std(stream)) else { return };
                self.converse(Begun::Plain(Rewound::new(read, stream)), stopped, false).await;
            });
        });
    }

    async fn run(mut self, stream: TcpStream, stopped: CancellationToken, is_in_lane: bool) {
        if let Some(begun) = self.begin(stream, &stopped).await {
            self.converse(begun, stopped, is_in_lane).await;
        }
    }

    /// Answers requests for objects, or waits for TLS, until the HTTP server is needed. Nothing is kept for a
    /// connection that never begins but this.
    async fn begin(&mut self, stream: TcpStream, stopped: &CancellationToken) -> Option<Begun> {
        match self.server.tls.clone() {
            Some(tls) => stopped.run_until_cancelled(self.begin_tls(&tls, stream)).await?,
            None => {
                let (read, stream) = self.answer_objects(stream, stopped).await?;
                Some(Begun::Plain(Rewound::new(read, stream)))
            }
        }
    }

    async fn begin_tls(&self, tls: &TlsAcceptor, stream: TcpStream) -> Option<Begun> {
        let by = self.server.limits.patience().fair(self.first_head_by.unwrap_or_else(Instant::now));
        match timeout_at(by, Box::pin(tls.accept(stream))).await {
            Ok(Ok(mut stream)) => {
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
                if is_http2 {
                    // All that was gathered becomes records at once, and is written at once.
                    stream.get_mut().1.set_buffer_limit(Some(GATHERED_BYTES));
                }
                return Some(Begun::Tls { stream: Box::new(stream), is_http2 });
            }
            Ok(Err(error)) => tracing::debug!(%error, "a connection did not begin well"),
            Err(_) => tracing::debug!("a connection did not begin in time"),
        }
        None
    }

    /// Answers requests for objects until something else is asked for, and gives what was then read.
    async fn answer_objects(
        &mut self,
        mut stream: TcpStream,
        stopped: &CancellationToken,
    ) -> Option<(Bytes, TcpStream)> {
        let progress = Progress::over(Socket::of(&stream)).with_first_head_by(self.first_head_by);
        let ended = tokio::select! {
            biased;
            ended = Direct::new(&mut stream, self.server.front.edge.as_ref(), &progress).converse() => ended,
            why = progress.given_up(self.server.limits.patience()) => {
                tracing::debug!(?why, "a client was given up");
                return None;
            }
            () = progress.idle_after(stopped.cancelled()) => return None,
        };
        self.first_head_by = progress.first_head_by();
        match ended {
            Ok(Ended::Other(read)) => Some((read, stream)),
            Ok(Ended::Closed) => None,
            Err(error) => {
                tracing::debug!(%error, "a connection ended early");
                None
            }
        }
    }

    /// Serves a connection until it ends.
    async fn converse(self, begun: Begun, stopped: CancellationToken, is_in_lane: bool) {
        let (server, address, first) = (self.server, self.address, self.first_head_by);
        match begun {
            Begun::Plain(stream) => {
                let progress = Progress::over(Socket::of(stream.get_ref())).with_first_head_by(first);
                let connection = Connection { address, plain: true, is_in_lane };
                match stream.starts_with(PREFACE) && server.is_http2_without_tls {
                    true => server.serve_http2(stream, progress, connection, stopped).await,
                    false => server.serve_http1(stream, progress, connection, self.watcher).await,
                }
            }
            Begun::Tls { stream, is_http2 } => {
                let progress = Progress::over(Socket::of(stream.get_ref().0)).with_first_head_by(first);
                let connection = Connection { address, plain: false, is_in_lane };
                match is_http2 {
                    true => server.serve_http2(*stream, progress, connection, stopped).await,
                    false => server.serve_http1(*stream, progress, connection, self.watcher).await,
                }
            }
        }
        drop(self.permit);
    }
}

/// A connection on its way from one runtime to another, which fails only where the system has no room for it.
fn taken_over<S>(moved: io::Result<S>) -> Option<S> {
    moved.inspect_err(|error| tracing::warn!(%error, "a connection could not be taken over")).ok()
}

/// How long a client that is told to go may take.
const FAREWELL: Duration = Duration::from_secs(5);

/// What connections to clients that speak HTTP/2 without TLS begin with; no method of HTTP/1 does.
const PREFACE: &[u8] = b"PRI ";

impl Server {
    /// The threads that answer requests for objects, where there are such requests.
    fn lanes(&self, stopped: &CancellationToken) -> Lanes {
        if self.front.edge.is_none() {
            return Lanes::none();
        }
        Lanes::start(self.limits.delivery_threads, stopped).unwrap_or_else(|error| {
            tracing::warn!(%error, "there is no room for threads that deliver; all connections share the others");
            Lanes::none()
        })
    }

    fn serve_http1<S>(
        &self,
        stream: S,
        progress: Progress,
        connection: Connection,
        watcher: Watcher,
    ) -> BoxFuture<'_, ()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let progress = Arc::new(progress);
        let stream = TokioIo::new(Watched::new(stream, progress.clone()));
        let (front, asked) = (self.front.clone(), progress.clone());
        let service = service_fn(move |request| {
            asked.begin_answer();
            front.answer(request, connection).map(Ok::<_, Infallible>)
        });
        let served = watcher.watch(http1_of(self.limits).serve_connection(stream, service));
        Box::pin(self.watch(served, progress))
    }

    fn serve_http2<S>(
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
                served = &mut served => ended(served),
                why = progress.given_up(patience) => {
                    tracing::debug!(?why, "a client was given up");
                    if why == GivenUp::Silent {
                        ending.cancel();
                        // A client that does not go is left.
                        let _ = tokio::time::timeout(FAREWELL, served).await;
                    }
                }
            }
        })
    }

    /// Serves a connection until it ends, or its client has stalled.
    async fn watch(&self, served: impl Future<Output = hyper::Result<()>> + Send, progress: Arc<Progress>) {
        tokio::select! {
            biased;
            served = served => ended(served),
            why = progress.given_up(self.limits.patience()) => tracing::debug!(?why, "a client was given up"),
        }
    }
}

fn ended<E: std::fmt::Display>(served: Result<(), E>) {
    if let Err(error) = served {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// A connection that has begun.
enum Begun {
    /// Without TLS.
    Plain(Rewound<TcpStream>),
    Tls {
        stream: Box<TlsStream<TcpStream>>,
        is_http2: bool,
    },
}

/// The most of a head or a body that a connection keeps for a client that does not take it.
const BUFFER_BYTES: usize = 64 * 1024;

fn http1_of(limits: ServerLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(BUFFER_BYTES);
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
