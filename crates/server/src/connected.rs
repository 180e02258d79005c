//! One connection: which thread serves it, and by which protocol.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use hyper_util::server::graceful::Watcher;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;
use tonearm_telemetry::{OpenConnection, Protocol};

use crate::acceptor::Acceptor;
use crate::direct::{Direct, Ended, Peer};
use crate::front::Connection;
use crate::http2::GATHERED_BYTES;
use crate::lanes::Lane;
use crate::places::Place;
use crate::prefixed_stream::PrefixedStream;
use crate::progress::{Progress, Socket};
use crate::server::{Server, unless_failed};
use crate::tls::HTTP2;

/// The first bytes of HTTP/2 connections without TLS; no method of HTTP/1 begins with them.
const PREFACE: &[u8] = b"PRI ";

/// The runtimes that serve a connection without TLS.
struct Runtimes {
    /// Serves it while objects are requested.
    lane: Lane,
    /// Serves it while anything else is requested.
    elsewhere: Handle,
}

/// An accepted connection, with the resources that are released when it ends.
pub(crate) struct Connected {
    pub(crate) server: Arc<Server>,
    pub(crate) address: SocketAddr,
    pub(crate) watcher: Watcher,
    pub(crate) place: Place,
    /// Counts it while it is open.
    pub(crate) open: OpenConnection,
    /// The deadline for the first request, including everything before it; none once it has arrived.
    pub(crate) first_head_by: Option<Instant>,
}

impl Connected {
    /// Answers requests for objects on a delivery thread, and all others on the current runtime, which returns the
    /// connection once it is idle. A connection with TLS stays on its thread.
    pub(crate) fn begin_at(self, lane: Lane, stream: TcpStream) {
        self.answer_at(Runtimes { lane, elsewhere: Handle::current() }, Bytes::new(), stream);
    }

    /// Continues on a delivery thread. The bytes in `read` were read already, and are processed first.
    fn answer_at(mut self, runtimes: Runtimes, read: Bytes, stream: TcpStream) {
        let Some(stream) = taken_over(stream.into_std()) else { return };
        let runtime = runtimes.lane.runtime.clone();
        runtime.spawn(async move {
            let Some(stream) = taken_over(TcpStream::from_std(stream)) else { return };
            let stopped = runtimes.lane.stopped.clone();
            if self.server.tls.is_some() {
                return self.run(stream, stopped, true).await;
            }
            let Some((read, stream)) = self.answer_objects(read, stream, &stopped).await else { return };
            let Some(stream) = taken_over(stream.into_std()) else { return };
            let elsewhere = runtimes.elsewhere.clone();
            elsewhere.spawn(self.answer_others(runtimes, read, stream));
        });
    }

    /// Serves the connection outside the delivery threads, until it is idle.
    async fn answer_others(mut self, runtimes: Runtimes, read: Bytes, stream: std::net::TcpStream) {
        let Some(stream) = taken_over(TcpStream::from_std(stream)) else { return };
        let (stream, stopped) = (PrefixedStream::new(read, stream), runtimes.lane.stopped.clone());
        if stream.starts_with(PREFACE) && self.server.is_http2_without_tls {
            return self.converse(Begun::Plain(stream), stopped, false).await;
        }
        let (server, first_head_by) = (self.server.clone(), self.first_head_by.take());
        let progress = Progress::over(Socket::of(stream.get_ref())).of(self.place.seat());
        let progress = progress.with_first_head_by(first_head_by);
        let connection = Connection { address: self.address, is_in_lane: false };
        if let Some((read, stream)) = server.serve_until_idle(stream, progress, connection, stopped).await {
            self.answer_at(runtimes, read, stream);
        }
    }

    pub(crate) async fn run(mut self, stream: TcpStream, stopped: CancellationToken, is_in_lane: bool) {
        if let Some(begun) = self.begin(stream, &stopped).await {
            self.converse(begun, stopped, is_in_lane).await;
        }
    }

    /// Answers requests for objects, or waits for TLS, until the HTTP server is needed. A connection that never sends a
    /// request takes no other memory than this future.
    async fn begin(&mut self, stream: TcpStream, stopped: &CancellationToken) -> Option<Begun> {
        match self.server.tls.clone() {
            Some(tls) => stopped.run_until_cancelled(self.begin_tls(&tls, stream)).await?,
            None => {
                let (read, stream) = self.answer_objects(Bytes::new(), stream, stopped).await?;
                Some(Begun::Plain(PrefixedStream::new(read, stream)))
            }
        }
    }

    async fn begin_tls(&self, tls: &Acceptor, stream: TcpStream) -> Option<Begun> {
        let by = self.server.limits.client_deadlines().fair(self.first_head_by.unwrap_or_else(Instant::now));
        let accepted = tokio::select! {
            accepted = timeout_at(by, Box::pin(tls.accept(stream))) => accepted,
            () = self.place.seat().displaced() => return None,
        };
        match accepted {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(mut stream))) => {
                let is_http2 = stream.get_ref().1.alpn_protocol() == Some(HTTP2);
                if is_http2 {
                    // All gathered bytes become TLS records at once, and are written at once.
                    stream.get_mut().1.set_buffer_limit(Some(GATHERED_BYTES));
                }
                return Some(Begun::Tls { stream: Box::new(stream), is_http2 });
            }
            Ok(Err(error)) => tracing::debug!(%error, "a TLS handshake failed"),
            Err(_) => tracing::debug!("a TLS handshake timed out"),
        }
        None
    }

    /// Answers requests for objects until something else is requested, and returns the bytes that were read of it.
    async fn answer_objects(
        &mut self,
        read: Bytes,
        mut stream: TcpStream,
        stopped: &CancellationToken,
    ) -> Option<(Bytes, TcpStream)> {
        let progress = Progress::over(Socket::of(&stream)).of(self.place.seat());
        let progress = progress.with_first_head_by(self.first_head_by);
        let peer = Peer { address: self.address, proxies: &self.server.front.proxies };
        let ended = tokio::select! {
            biased;
            ended = Direct::new(&mut stream, read, self.server.front.edge.as_ref(), &progress, peer).converse() => ended,
            why = progress.given_up(self.server.limits.client_deadlines()) => {
                tracing::debug!(?why, "closing a connection because its client is too slow or silent");
                return None;
            }
            () = progress.idle_after(stopped.cancelled()) => return None,
        };
        self.first_head_by = progress.first_head_by();
        match unless_failed(ended)? {
            Ended::Other(read) => Some((read, stream)),
            Ended::Closed => None,
        }
    }

    /// Serves a connection until it ends.
    async fn converse(mut self, begun: Begun, stopped: CancellationToken, is_in_lane: bool) {
        let protocol = self.protocol_of(&begun);
        self.open.speak(protocol);
        let (server, address, first) = (self.server, self.address, self.first_head_by);
        match begun {
            Begun::Plain(stream) => {
                let progress = Progress::over(Socket::of(stream.get_ref())).of(self.place.seat());
                let progress = progress.with_first_head_by(first);
                let connection = Connection { address, is_in_lane };
                match stream.starts_with(PREFACE) && server.is_http2_without_tls {
                    true => server.serve_http2(stream, progress, connection, stopped).await,
                    false => server.serve_http1(stream, progress, connection, self.watcher).await,
                }
            }
            Begun::Tls { stream, is_http2 } => {
                let progress = Progress::over(Socket::of(stream.get_ref().0)).of(self.place.seat());
                let progress = progress.with_first_head_by(first);
                let connection = Connection { address, is_in_lane };
                match is_http2 {
                    true => server.serve_http2(*stream, progress, connection, stopped).await,
                    false => server.serve_http1(*stream, progress, connection, self.watcher).await,
                }
            }
        }
        drop((self.place, self.open));
    }

    fn protocol_of(&self, begun: &Begun) -> Protocol {
        match begun {
            Begun::Plain(stream) if stream.starts_with(PREFACE) && self.server.is_http2_without_tls => {
                Protocol::Http2
            }
            Begun::Plain(_) => Protocol::Http1,
            Begun::Tls { is_http2: true, .. } => Protocol::Http2Tls,
            Begun::Tls { is_http2: false, .. } => Protocol::Http1Tls,
        }
    }
}

/// Moves a connection from one runtime to another, which fails only if the system lacks resources.
fn taken_over<S>(moved: io::Result<S>) -> Option<S> {
    moved.inspect_err(|error| tracing::warn!(%error, "could not hand over a connection")).ok()
}

/// A connection that has begun, with or without TLS.
enum Begun {
    /// Without TLS.
    Plain(PrefixedStream<TcpStream>),
    Tls {
        stream: Box<TlsStream<TcpStream>>,
        is_http2: bool,
    },
}
