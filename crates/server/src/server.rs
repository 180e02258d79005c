//! The server, and the protocols by which it serves a connection.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hyper::Request;
use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::Watcher;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::acceptor::Acceptor;
use crate::front::{Connection, Front};
use crate::http1;
use crate::http2::Http2;
use crate::interim::{Interim, WithInterim};
use crate::lanes::Lanes;
use crate::limits::ServerLimits;
use crate::places::Places;
use crate::prefixed_stream::PrefixedStream;
use crate::progress::{CloseReason, Progress, Watched};

/// Serves connections.
pub struct Server {
    /// Answers requests.
    pub front: Front,
    /// Limits on connections.
    pub limits: ServerLimits,
    /// The TLS acceptor, if connections use TLS.
    pub tls: Option<Acceptor>,
    /// Whether clients may speak HTTP/2 without TLS.
    pub is_http2_without_tls: bool,
    /// The places for connections.
    pub places: Arc<Places>,
}

/// How long a client that is told to close its connection may take.
const FAREWELL: Duration = Duration::from_secs(5);

/// How long the HTTP server waits for another request before it gives a connection back to its delivery thread. Clients
/// with many requests send the next one within it, and for the others the time of the handover does not matter.
const LINGER: Duration = Duration::from_millis(100);

impl Server {
    /// The threads that answer requests for objects, if this node has an edge.
    pub(crate) fn lanes(&self, stopped: &CancellationToken) -> Lanes {
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
        let (front, progress_of_request) = (self.front.clone(), progress.clone());
        let service = service_fn(move |mut request: Request<Incoming>| {
            progress_of_request.begin_answer();
            progress_of_request.note_body(!request.body().is_end_stream());
            let unanswered = interim.begin(&mut request);
            let answered = http1::AnswerGuard(progress_of_request.clone());
            front.answer(request, connection).map(|response| {
                drop(unanswered);
                Ok::<_, Infallible>(response.map(|body| http1::Guarded::new(body, answered)))
            })
        });
        let served =
            watcher.watch(http1::builder(self.limits).serve_connection(TokioIo::new(stream), service));
        Box::pin(self.watch(served, progress).map(drop))
    }

    /// Serves HTTP/1.1 until all requests are answered and no more follow, and returns the connection; `None` if it has
    /// ended.
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
        let (front, patience) = (self.front.clone(), self.limits.client_deadlines());
        // A client that has been silent for long is also told to close the connection, and may send further requests
        // over another one.
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
                        // If the client does not close it in time, the connection is dropped.
                        let _ = tokio::time::timeout(FAREWELL, served).await;
                    }
                }
            }
        })
    }

    /// Serves a connection until it ends or is returned, or its client has stalled.
    async fn watch<T>(
        &self,
        served: impl Future<Output = hyper::Result<T>> + Send,
        progress: Arc<Progress>,
    ) -> Option<T> {
        tokio::select! {
            biased;
            served = served => unless_failed(served),
            why = progress.given_up(self.limits.client_deadlines()) => {
                tracing::debug!(?why, "closing a connection because its client is too slow or silent");
                None
            }
        }
    }
}

/// The result of a connection, unless it failed.
pub(crate) fn unless_failed<T, E: std::fmt::Display>(served: Result<T, E>) -> Option<T> {
    served.inspect_err(|error| tracing::debug!(%error, "a connection ended early")).ok()
}
