//! Connections that speak HTTP/2 (RFC 9113).
//!
//! All streams of a connection run in one task: bytes that a stream hands over are written in the same poll, without
//! waking another thread. Requests that are not for the edge are answered in tasks of their own.

mod coalesced;
mod exchange;
mod open_exchange;
mod received;
mod sending;

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use h2::server::{Builder, Connection as H2, Handshake};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::time::{Sleep, sleep};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use self::coalesced::Coalesced;
pub(crate) use self::coalesced::GATHERED_BYTES;
use self::exchange::Exchanges;
use crate::front::{Connection, Front};
use crate::limits::ClientDeadlines;
use crate::progress::Progress;

/// Maximum number of concurrent requests on a connection.
const MOST_STREAMS: u32 = 32;

/// Bytes of a response that a stream may hand over before the socket has accepted earlier ones.
const SEND_BUFFER_BYTES: usize = 64 * 1024;

/// Bytes of request bodies that a client may send before they are read, on one stream and on all together.
const WINDOW_BYTES: u32 = 1 << 20;

/// The longest head of a request, as HTTP/2 counts it (RFC 9113, section 6.5.2).
const MOST_HEAD_BYTES: u32 = 32 * 1024;

/// How long a client without open requests has to learn that the node stops.
const LINGER: Duration = Duration::from_secs(1);

/// Serves a connection.
pub(crate) struct Http2 {
    pub(crate) front: Front,
    pub(crate) connection: Connection,
    pub(crate) patience: ClientDeadlines,
    /// Cancelled when no more requests should be answered.
    pub(crate) stopped: CancellationToken,
}

impl Http2 {
    /// Serves a connection until it ends. `progress` is told when a request is waited for, so that the task that
    /// watches it can end a connection without requests.
    pub(crate) async fn serve<S>(self, stream: S, progress: Arc<Progress>) -> io::Result<()>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        progress.await_head();
        let io = Coalesced::new(stream);
        let Some(connection) = self.begin(&io).await? else { return Ok(()) };
        let exchanges = Exchanges::new(self.front, self.connection, self.patience);
        let driver = Driver {
            connection,
            streams: FuturesUnordered::new(),
            exchanges,
            io: io.clone(),
            progress: progress.clone(),
            is_idle: true,
            stopped: Box::pin(self.stopped.cancelled_owned()),
            linger: None,
        };
        driver.await?;
        close(io, &progress).await;
        Ok(())
    }

    /// Performs the handshake of the protocol; `None` if the node stops meanwhile.
    async fn begin<S>(&self, io: &Coalesced<S>) -> io::Result<Option<H2<Coalesced<S>, Bytes>>>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let mut handshake: Pin<Box<Handshake<_, Bytes>>> = Box::pin(
            Builder::new()
                .max_concurrent_streams(MOST_STREAMS)
                .max_send_buffer_size(SEND_BUFFER_BYTES)
                .initial_window_size(WINDOW_BYTES)
                .initial_connection_window_size(WINDOW_BYTES)
                .max_header_list_size(MOST_HEAD_BYTES)
                .handshake(io.clone()),
        );
        let begun = std::future::poll_fn(|context| {
            let begun = handshake.as_mut().poll(context);
            match io.poll_drain(context) {
                Poll::Ready(Err(error)) if begun.is_pending() => Poll::Ready(Err(error)),
                _ => begun.map_err(io::Error::other),
            }
        });
        self.stopped.run_until_cancelled(begun).await.transpose()
    }
}

/// A connection after the handshake, as a future that completes when it ends.
struct Driver<S> {
    connection: H2<Coalesced<S>, Bytes>,
    streams: FuturesUnordered<exchange::Running>,
    exchanges: Exchanges,
    io: Coalesced<S>,
    progress: Arc<Progress>,
    /// No request is open, and all responses have been passed to the kernel.
    is_idle: bool,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    /// Set once the node stops.
    linger: Option<Pin<Box<Sleep>>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Driver<S> {
    /// Polls all streams, and accepts new ones, until no more progress is possible.
    fn poll_streams(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            while let Poll::Ready(Some(())) = self.streams.poll_next_unpin(context) {}
            match pin!(self.connection.accept()).poll(context) {
                Poll::Ready(Some(accepted)) => {
                    let (request, respond) = accepted.map_err(io::Error::other)?;
                    self.is_idle = false;
                    self.progress.begin_answer();
                    self.streams.push(self.exchanges.run(request, respond));
                }
                Poll::Ready(None) => return Poll::Ready(Ok(())),
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Records that the connection has become idle. Called after everything was written; `h2` may still hold a response
    /// that was handed over.
    fn look_whether_idle(&mut self) {
        let has_more = self.io.was_refused() || self.connection.has_streams();
        if !self.is_idle && self.streams.is_empty() && !has_more {
            self.is_idle = true;
            self.progress.await_head();
            self.io.release();
        }
    }

    /// Tells the client once that the node stops. Ready when the time for the client to react is over.
    fn poll_stop(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.linger.is_none() {
            ready!(self.stopped.as_mut().poll(context));
            self.connection.graceful_shutdown();
        }
        self.linger.get_or_insert_with(|| Box::pin(sleep(LINGER))).as_mut().poll(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Future for Driver<S> {
    type Output = io::Result<()>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let has_lingered = self.poll_stop(context).is_ready();
        let ended = self.poll_streams(context);
        if ended.is_pending() {
            ready!(self.io.poll_drain(context))?;
            self.look_whether_idle();
            if has_lingered && self.is_idle {
                return Poll::Ready(Ok(()));
            }
        }
        ended
    }
}

/// Closes a connection on which everything was written. Bytes that the client still sends would be answered with a
/// reset, which would discard what the kernel has not sent yet. So they are read until the client has received
/// everything, or closes.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(mut io: Coalesced<S>, progress: &Progress) {
    if io.shutdown().await.is_err() {
        return;
    }
    let mut nothing = tokio::io::sink();
    tokio::select! {
        _ = tokio::io::copy(&mut io, &mut nothing) => {}
        () = progress.all_taken() => {}
    }
}
