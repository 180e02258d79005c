//! HTTP/1.1 by hyper, for as long as a connection needs it: once it has answered the requests that are not for delivery
//! threads, the connection may go back to its delivery thread.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use futures::FutureExt as _;
use hyper::Request;
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::front::{Connection, Front};
use crate::interim::{Interim, WithInterim};
use crate::limits::ServerLimits;
use crate::prefixed_stream::PrefixedStream;
use crate::progress::{Progress, Watched};

/// Maximum number of bytes of a head or a body that a connection buffers for a client that does not read them.
const BUFFER_BYTES: usize = 64 * 1024;

/// The settings with which hyper serves a connection.
pub(crate) fn builder(limits: ServerLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(BUFFER_BYTES);
    builder
}

/// A connection on which all requests are answered, with the bytes that were read of the next request.
pub(crate) type Idle = (Bytes, TcpStream);

/// What limits how long a connection is served.
pub(crate) struct IdleLimits<'a> {
    /// How long to wait for another request after the last one. Handing a connection over for each request would take
    /// as long as answering it.
    pub(crate) linger: Duration,
    /// Cancelled when the server stops.
    pub(crate) stopped: &'a CancellationToken,
}

/// Serves a connection until all requests are answered and no more follow, or until an object was requested: more such
/// requests probably follow, and they are not answered here. `None` if the connection has ended, also because the
/// server stops.
pub(crate) async fn serve_until_idle(
    front: &Front,
    limits: ServerLimits,
    connection: Connection,
    stream: PrefixedStream<TcpStream>,
    progress: Arc<Progress>,
    until: IdleLimits<'_>,
) -> hyper::Result<Option<Idle>> {
    let (exchanges, interim) = (Exchanges::default(), Interim::default());
    let service = service_fn(|mut request: Request<Incoming>| {
        progress.begin_answer();
        progress.note_body(!request.body().is_end_stream());
        let is_object = front.edge_for(request.uri().path()).is_some();
        let (exchange, unanswered) = (exchanges.begin(&request, is_object), interim.begin(&mut request));
        let answered = front.answer(request, connection);
        answered.map(|response| {
            drop(unanswered);
            Ok::<_, Infallible>(response.map(|body| Guarded::new(body, exchange)))
        })
    });
    let io = TokioIo::new(WithInterim::new(Watched::new(stream, progress.clone()), interim.clone()));
    let mut served = builder(limits).serve_connection(io, service);
    let mut stopping = pin!(until.stopped.cancelled());
    let mut lingering = IdleTimer::new(until.linger);
    let mut leaving = HandOverReason::Not;
    poll_fn(|context| {
        loop {
            // Hyper flushes what it has written only before it shuts a connection down.
            let polled = match leaving {
                HandOverReason::Idle => served.poll_without_shutdown(context),
                HandOverReason::Not | HandOverReason::Stopped => Pin::new(&mut served).poll(context),
            };
            match polled {
                Poll::Pending
                    if leaving == HandOverReason::Not
                        && exchanges.are_over()
                        && !progress.is_blocked()
                        && (exchanges.ended_with_object() || lingering.is_over(&exchanges, context)) =>
                {
                    // When hyper is told to end an idle connection, it finishes without writing anything.
                    leaving = HandOverReason::Idle;
                    Pin::new(&mut served).graceful_shutdown();
                }
                // Checked only now, so that a request that was already read is answered.
                Poll::Pending
                    if leaving == HandOverReason::Not && stopping.as_mut().poll(context).is_ready() =>
                {
                    leaving = HandOverReason::Stopped;
                    Pin::new(&mut served).graceful_shutdown();
                }
                polled => return polled,
            }
        }
    })
    .await?;
    Ok((leaving == HandOverReason::Idle).then(|| {
        let parts = served.into_parts();
        let (rest, stream) = parts.io.into_inner().into_inner().into_inner().into_parts();
        ([parts.read_buf, rest].concat().into(), stream)
    }))
}

/// Why hyper was told to end a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HandOverReason {
    Not,
    Idle,
    Stopped,
}

/// The timer for the wait for another request after the last one.
struct IdleTimer {
    linger: Duration,
    /// The number of requests that were answered when the wait began, and when it began.
    since: (usize, Instant),
    /// Created at the first wait. It is reset only when it has expired, not for each request.
    timer: Option<Pin<Box<Sleep>>>,
}

impl IdleTimer {
    fn new(linger: Duration) -> Self {
        Self { linger, since: (0, Instant::now()), timer: None }
    }

    /// Whether the wait is over, given that all requests are answered.
    fn is_over(&mut self, exchanges: &Exchanges, context: &mut Context<'_>) -> bool {
        let answered = exchanges.answered();
        if self.since.0 != answered {
            self.since = (answered, Instant::now());
        }
        let end = self.since.1 + self.linger;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(end)));
        while timer.as_mut().poll(context).is_ready() {
            if Instant::now() >= end {
                return true;
            }
            timer.as_mut().reset(end);
        }
        false
    }
}

/// Requests of a connection, and their responses.
#[derive(Debug, Clone, Default)]
struct Exchanges(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicUsize,
    ended: AtomicUsize,
    /// Whether the last request had a body, part of which may be unread when the response is sent.
    has_body: AtomicBool,
    /// Whether the last request was for an object.
    is_object: AtomicBool,
}

impl Exchanges {
    fn begin(&self, request: &Request<Incoming>, is_object: bool) -> Exchange {
        self.0.begun.fetch_add(1, Ordering::Relaxed);
        self.0.is_object.store(is_object, Ordering::Relaxed);
        self.0.has_body.store(!request.body().is_end_stream(), Ordering::Relaxed);
        Exchange(self.0.clone())
    }

    /// Whether there were requests, hyper has all of their responses, and no part of a request is unread.
    fn are_over(&self) -> bool {
        let begun = self.0.begun.load(Ordering::Relaxed);
        begun > 0 && begun == self.answered() && !self.0.has_body.load(Ordering::Relaxed)
    }

    fn answered(&self) -> usize {
        self.0.ended.load(Ordering::Relaxed)
    }

    fn ended_with_object(&self) -> bool {
        self.0.is_object.load(Ordering::Relaxed)
    }
}

/// A request until its response is dropped. Hyper drops it as soon as it has read all of it.
#[derive(Debug)]
struct Exchange(Arc<Counts>);

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.ended.fetch_add(1, Ordering::Relaxed);
    }
}

/// The body of a response, with a value that is dropped with it.
pub(crate) struct Guarded<G> {
    body: Body,
    _guard: G,
}

impl<G> Guarded<G> {
    pub(crate) fn new(body: Body, guard: G) -> Self {
        Self { body, _guard: guard }
    }
}

/// Records, when it is dropped, that a request was answered.
pub(crate) struct AnswerGuard(pub(crate) Arc<Progress>);

impl Drop for AnswerGuard {
    fn drop(&mut self) {
        self.0.end_answer();
    }
}

impl<G: Unpin> hyper::body::Body for Guarded<G> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::{get, post};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tonearm_blobs::Blobs;
    use tonearm_edge::{Edge, EdgeConfig};
    use tonearm_signing::{Secrets, UrlSigner};

    use super::*;
    use crate::front::FrontParts;
    use crate::progress::Socket;
    use crate::proxies::TrustedProxies;

    /// More than the kernel buffers for a client that reads nothing.
    const LARGE: usize = 32 << 20;

    fn limits() -> ServerLimits {
        ServerLimits {
            max_connections: 1,
            header_timeout: Duration::from_secs(30),
            send_timeout: Duration::from_secs(30),
            min_bytes_per_second: 0,
            drain: Duration::from_secs(30),
            delivery_threads: None,
        }
    }

    fn front(edge: Option<Edge>) -> Front {
        let router = Router::new()
            .route("/small", get(async || "small"))
            .route("/large", get(async || vec![7_u8; LARGE]))
            .route("/deaf", post(async || "not read"));
        Front::new(FrontParts {
            edge,
            proxies: Arc::new(TrustedProxies::default()),
            router,
            ambient: tonearm_fixtures::ambient().0,
            is_https: false,
            stored_addresses: tonearm_domain::StoredAddresses::Whole,
            limits: limits(),
        })
    }

    type Served = tokio::task::JoinHandle<hyper::Result<Option<Idle>>>;

    /// A client, and the task that serves its connection.
    async fn serve(stopped: CancellationToken) -> (TcpStream, Served) {
        serve_after("", stopped, Duration::ZERO).await
    }

    /// The same, for a connection of which `read` was already read, and with a wait for further requests.
    async fn serve_after(
        read: &'static str,
        stopped: CancellationToken,
        linger: Duration,
    ) -> (TcpStream, Served) {
        serve_by(front(None), read, stopped, linger).await
    }

    async fn serve_by(
        front: Front,
        read: &'static str,
        stopped: CancellationToken,
        linger: Duration,
    ) -> (TcpStream, Served) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let (stream, address) = accepted.unwrap();
        let served = tokio::spawn(async move {
            let progress = Arc::new(Progress::over(Socket::of(&stream)));
            let connection = Connection { address, is_in_lane: false };
            let stream = PrefixedStream::new(Bytes::from(read), stream);
            let until = IdleLimits { linger, stopped: &stopped };
            serve_until_idle(&front, limits(), connection, stream, progress, until).await
        });
        (client.unwrap(), served)
    }

    async fn answer(client: &mut TcpStream, length: usize) -> String {
        let mut read = Vec::new();
        while !read.windows(4).any(|bytes| bytes == b"\r\n\r\n") {
            assert!(client.read_buf(&mut read).await.unwrap() > 0, "the connection ended in a head");
        }
        let head = read.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap() + 4;
        while read.len() < head + length {
            assert!(client.read_buf(&mut read).await.unwrap() > 0, "the connection ended in a body");
        }
        assert_eq!(read.len(), head + length);
        String::from_utf8(read[..head].to_vec()).unwrap()
    }

    #[tokio::test]
    async fn a_connection_comes_back_with_what_follows() {
        for follows in ["", "GET /next HTTP", "\r\n"] {
            let (mut client, served) = serve(CancellationToken::new()).await;
            let request = format!("GET /small HTTP/1.1\r\nHost: x\r\n\r\n{follows}");
            client.write_all(request.as_bytes()).await.unwrap();
            let head = answer(&mut client, 5).await;
            assert!(head.starts_with("HTTP/1.1 200 ") && !head.contains("connection:"), "{head}");
            let (unread, mut stream) = served.await.unwrap().unwrap().unwrap();
            // Both ends of it still work.
            client.write_all(b"more").await.unwrap();
            let mut all = unread.to_vec();
            while all.len() < follows.len() + 4 {
                stream.read_buf(&mut all).await.unwrap();
            }
            assert_eq!(all, format!("{follows}more").as_bytes());
        }
    }

    /// The client reads only after it has sent everything, which is more than sockets buffer.
    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_is_still_sending_gets_the_response() {
        for _ in 0..10 {
            let (mut client, served) = serve(CancellationToken::new()).await;
            let head = format!("POST /deaf HTTP/1.1\r\nHost: x\r\nContent-Length: {LARGE}\r\n\r\n");
            client.write_all(head.as_bytes()).await.unwrap();
            client.write_all(&vec![7; LARGE]).await.unwrap();
            let mut response = String::new();
            client.read_to_string(&mut response).await.unwrap();
            assert!(response.starts_with("HTTP/1.1 200 ") && response.ends_with("not read"), "{response}");
            drop(client);
            assert!(served.await.unwrap().is_ok_and(|idle| idle.is_none()));
        }
    }

    /// The body comes in a segment of its own, when the response is known already.
    #[tokio::test]
    async fn after_a_small_body_that_nobody_read_the_next_request_is_answered() {
        let hour = Duration::from_secs(3600);
        let (mut client, _served) = serve_after("", CancellationToken::new(), hour).await;
        client.set_nodelay(true).unwrap();
        for _ in 0..100 {
            client.write_all(b"POST /deaf HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n").await.unwrap();
            for _ in 0..10 {
                tokio::task::yield_now().await;
            }
            client.write_all(b"body").await.unwrap();
            let head = answer(&mut client, 8).await;
            assert!(head.starts_with("HTTP/1.1 200 ") && !head.contains("connection:"), "{head}");
            client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            answer(&mut client, 5).await;
        }
    }

    #[tokio::test]
    async fn a_connection_that_ends_after_a_response_says_so() {
        for fields in ["Content-Length: 70000", "Content-Length: 4\r\nExpect: 100-continue"] {
            let (mut client, served) = serve(CancellationToken::new()).await;
            let request = format!("POST /deaf HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n");
            client.write_all(request.as_bytes()).await.unwrap();
            let head = answer(&mut client, 8).await;
            assert!(head.contains("connection: close"), "{head}");
            assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
            drop(client);
            assert!(served.await.unwrap().is_ok_and(|idle| idle.is_none()));
        }
    }

    #[tokio::test]
    async fn requests_that_follow_soon_are_answered_without_handing_it_over() {
        let stopped = CancellationToken::new();
        let (mut client, served) = serve_after("", stopped.clone(), Duration::from_secs(3600)).await;
        for _ in 0..3 {
            client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
            answer(&mut client, 5).await;
        }
        assert!(!served.is_finished());
        // A stop is not waited for either.
        stopped.cancel();
        assert!(served.await.unwrap().unwrap().is_none());
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    }

    /// An object that does not exist.
    const OBJECT: &str = "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3";

    #[tokio::test]
    async fn after_an_object_it_comes_back_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("file://{}", folder.path().display());
        let blobs = Blobs::open(&url.parse().unwrap()).await.unwrap();
        let signer = UrlSigner::new(Secrets::from_bytes([1; 32]));
        let edge = Edge::new(blobs, signer, tonearm_fixtures::ambient().0, EdgeConfig::default());
        let hour = Duration::from_secs(3600);
        let (mut client, mut served) = serve_by(front(Some(edge)), "", CancellationToken::new(), hour).await;
        client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        answer(&mut client, 5).await;
        let soon = Duration::from_millis(100);
        assert!(tokio::time::timeout(soon, &mut served).await.is_err(), "another request may follow");
        let request = format!("GET /{OBJECT} HTTP/1.1\r\nHost: x\r\n\r\n");
        client.write_all(request.as_bytes()).await.unwrap();
        let patience = Duration::from_secs(30);
        let idle = tokio::time::timeout(patience, served).await.expect("it is given back").unwrap();
        assert!(idle.unwrap().is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn each_answer_begins_the_wait_anew() {
        let exchanges = Exchanges::default();
        let mut lingering = IdleTimer::new(Duration::from_millis(100));
        let answer = || {
            exchanges.0.begun.fetch_add(1, Ordering::Relaxed);
            exchanges.0.ended.fetch_add(1, Ordering::Relaxed);
        };
        let mut is_over =
            async || poll_fn(|context| Poll::Ready(lingering.is_over(&exchanges, context))).await;
        answer();
        assert!(!is_over().await);
        tokio::time::advance(Duration::from_millis(60)).await;
        answer();
        assert!(!is_over().await);
        // The timer of the first response has expired, and is reset.
        tokio::time::advance(Duration::from_millis(60)).await;
        assert!(!is_over().await);
        tokio::time::advance(Duration::from_millis(45)).await;
        assert!(is_over().await);
    }

    #[tokio::test]
    async fn after_a_while_without_requests_it_comes_back() {
        let begun = Instant::now();
        let (mut client, served) = serve_after("", CancellationToken::new(), Duration::from_millis(50)).await;
        client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        answer(&mut client, 5).await;
        // With what was read of another request.
        client.write_all(b"GET /next HTTP").await.unwrap();
        let (unread, _) = served.await.unwrap().unwrap().unwrap();
        assert!(begun.elapsed() >= Duration::from_millis(50));
        assert!(b"GET /next HTTP".starts_with(&unread), "{unread:?}");
    }

    #[tokio::test]
    async fn all_requests_at_once_are_answered_before() {
        let (mut client, served) = serve(CancellationToken::new()).await;
        let request = "GET /small HTTP/1.1\r\nHost: x\r\n\r\nHEAD /small HTTP/1.1\r\nHost: x\r\n\r\n";
        client.write_all(request.as_bytes()).await.unwrap();
        served.await.unwrap().unwrap().unwrap();
        let mut all = Vec::new();
        while String::from_utf8_lossy(&all).matches("\r\n\r\n").count() < 2 {
            assert!(client.read_buf(&mut all).await.unwrap() > 0);
        }
    }

    #[tokio::test]
    async fn a_response_is_sent_to_its_end_before() {
        let (mut client, served) = serve(CancellationToken::new()).await;
        client.write_all(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        // The client reads nothing yet, so the connection is not idle, no matter how much time passes.
        assert!(tokio::time::timeout(Duration::from_millis(200), client.readable()).await.is_ok());
        assert!(!served.is_finished());
        answer(&mut client, LARGE).await;
        assert!(served.await.unwrap().unwrap().is_some());
    }

    #[tokio::test]
    async fn a_body_is_never_taken_for_a_request() {
        let (mut client, served) = serve(CancellationToken::new()).await;
        let head = "POST /deaf HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
        client.write_all(head.as_bytes()).await.unwrap();
        answer(&mut client, 8).await;
        // What follows belongs to the body.
        let _ = client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await;
        let mut rest = Vec::new();
        // Closed or reset: the rest of the body is not waited for.
        let _ = client.read_to_end(&mut rest).await;
        assert_eq!(rest, b"");
        assert!(served.await.unwrap().is_ok_and(|idle| idle.is_none()));
    }

    #[tokio::test]
    async fn after_a_body_the_next_request_comes_back() {
        let (mut client, served) = serve(CancellationToken::new()).await;
        let request = "POST /deaf HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody";
        client.write_all(request.as_bytes()).await.unwrap();
        answer(&mut client, 8).await;
        client.write_all(b"GET /small HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        answer(&mut client, 5).await;
        assert!(served.await.unwrap().unwrap().is_some());
    }

    #[tokio::test]
    async fn who_speaks_no_http_is_told_so() {
        for wrong in ["GET\r\n\r\n", "\0", "GET / HTTP/9.9\r\n\r\n"] {
            // It was read before, so that the socket may not be known to be writable yet.
            let (mut client, served) = serve_after(wrong, CancellationToken::new(), Duration::ZERO).await;
            let mut all = Vec::new();
            client.read_to_end(&mut all).await.unwrap();
            let all = String::from_utf8_lossy(&all);
            assert!(all.starts_with("HTTP/1.1 400 "), "{wrong:?}: {all:?} {:?}", served.await);
        }
    }

    #[tokio::test]
    async fn what_was_read_before_a_stop_is_answered() {
        let stopped = CancellationToken::new();
        stopped.cancel();
        let request = "GET /small HTTP/1.1\r\nHost: x\r\n\r\n";
        let (mut client, served) = serve_after(request, stopped, Duration::ZERO).await;
        answer(&mut client, 5).await;
        // Given back, or ended by hyper: either way the connection ends with what is returned.
        drop(served.await.unwrap().unwrap());
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    }

    #[tokio::test]
    async fn a_stop_ends_it() {
        let stopped = CancellationToken::new();
        let (mut client, served) = serve(stopped.clone()).await;
        tokio::task::yield_now().await;
        stopped.cancel();
        assert!(served.await.unwrap().unwrap().is_none());
        assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    }
}
