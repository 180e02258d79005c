//! Interim responses over HTTP/1.1. Hyper sends only `100 (Continue)`, so the others are written directly into the
//! connection below it.
//!
//! That is safe at one moment only: when hyper flushes the connection, it has handed over everything that it had to
//! write, and if the service has not answered the request by then, that includes no part of the final response. So
//! interim responses are written during a flush, and only while a request waits for its response. What hyper writes
//! next waits until they are written completely.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::{Buf as _, Bytes};
use hyper::{Request, Version};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::Receiver;
use tonearm_api::{InterimResponse, InterimResponses};

/// The interim responses for the current request of a connection, if the client wants them. Clones belong to the same
/// connection.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interim(Arc<Mutex<Option<Receiver<InterimResponse>>>>);

/// A request until it is answered.
#[derive(Debug)]
pub(crate) struct InterimGuard(Option<Interim>);

impl Interim {
    /// Lets handlers send interim responses until the returned guard is dropped, if the client understands them.
    /// HTTP/1.0 has none.
    pub(crate) fn begin<B>(&self, request: &mut Request<B>) -> InterimGuard {
        if request.version() != Version::HTTP_11 || !InterimResponses::are_wanted(request.headers()) {
            return InterimGuard(None);
        }
        let (sender, receiver) = InterimResponses::channel();
        request.extensions_mut().insert(sender);
        *self.lock() = Some(receiver);
        InterimGuard(Some(self.clone()))
    }

    /// The next interim response, if there is one now. Otherwise the task is woken when there is one.
    fn poll_next(&self, context: &mut Context<'_>) -> Option<InterimResponse> {
        match self.lock().as_mut()?.poll_recv(context) {
            Poll::Ready(response) => response,
            Poll::Pending => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Receiver<InterimResponse>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for InterimGuard {
    fn drop(&mut self) {
        if let Some(interim) = &self.0 {
            *interim.lock() = None;
        }
    }
}

/// The lines of a response without a body.
fn head(response: InterimResponse) -> Bytes {
    let mut head = format!("HTTP/1.1 {} {}\r\n", response.status.as_u16(), response.reason).into_bytes();
    for (name, value) in &response.headers {
        for part in [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"] {
            head.extend_from_slice(part);
        }
    }
    head.extend_from_slice(b"\r\n");
    head.into()
}

/// A connection below hyper, into which interim responses are written.
#[derive(Debug)]
pub(crate) struct WithInterim<S> {
    stream: S,
    interim: Interim,
    /// The rest of an interim response that is partly written.
    unwritten: Bytes,
}

impl<S> WithInterim<S> {
    pub(crate) fn new(stream: S, interim: Interim) -> Self {
        Self { stream, interim, unwritten: Bytes::new() }
    }

    pub(crate) fn into_inner(self) -> S {
        self.stream
    }
}

impl<S: AsyncWrite + Unpin> WithInterim<S> {
    /// Writes the rest of an interim response that is partly written.
    fn poll_rest(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.unwritten.is_empty() {
            match ready!(Pin::new(&mut self.stream).poll_write(context, &self.unwritten))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.unwritten.advance(written),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WithInterim<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WithInterim<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_rest(context))?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_rest(context))?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.poll_rest(context))?;
            match self.interim.poll_next(context) {
                Some(response) => self.unwritten = head(response),
                None => return Pin::new(&mut self.stream).poll_flush(context),
            }
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_rest(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use axum::Router;
    use axum::body::{Body, to_bytes};
    use axum::extract::Extension;
    use axum::routing::{get, put};
    use futures::{StreamExt as _, stream};
    use hyper::header::{HeaderMap, HeaderValue};
    use hyper::server::conn::http1;
    use hyper::service::service_fn;
    use hyper::{StatusCode, header};
    use hyper_util::rt::TokioIo;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
    use tower::ServiceExt as _;

    use super::*;

    const LARGE: usize = 300_000;

    fn interim_response(what: &'static str) -> InterimResponse {
        let headers = HeaderMap::from_iter([(header::LOCATION, HeaderValue::from_static(what))]);
        InterimResponse { status: StatusCode::from_u16(104).unwrap(), reason: "Told", headers }
    }

    /// Sends two before the body has arrived, waits for it, and sends one more.
    async fn send_interim(to: Option<Extension<InterimResponses>>, body: Body) -> String {
        let Some(Extension(to)) = to else { return "nobody".to_owned() };
        to.send(interim_response("/a"));
        to.send(interim_response("/b"));
        let body = to_bytes(body, LARGE).await.unwrap();
        to.send(interim_response("/c"));
        // Otherwise it would be too late for the last one.
        tokio::task::yield_now().await;
        format!("{} bytes", body.len())
    }

    /// Sends one when the final response is under way.
    async fn send_interim_late(Extension(to): Extension<InterimResponses>) -> Body {
        let parts = stream::iter(["x", "y", "z"]).then(move |part| {
            to.send(interim_response("/late"));
            async move {
                tokio::task::yield_now().await;
                Ok::<_, Infallible>(part)
            }
        });
        Body::from_stream(parts)
    }

    /// All responses to requests that are sent at once, over a connection with this capacity in bytes.
    async fn answers(capacity: usize, requests: String) -> String {
        let (near, mut far) = duplex(capacity);
        let router = Router::new()
            .route("/large", get(async || "x".repeat(LARGE)))
            .route("/interim", put(send_interim))
            .route("/late", put(send_interim_late));
        let interim = Interim::default();
        let stream = TokioIo::new(WithInterim::new(near, interim.clone()));
        let served = tokio::spawn(async move {
            let service = service_fn(|mut request: Request<_>| {
                let unanswered = interim.begin(&mut request);
                let answered = router.clone().oneshot(request);
                async move {
                    let response = answered.await;
                    drop(unanswered);
                    response
                }
            });
            http1::Builder::new().serve_connection(stream, service).await
        });
        let (mut read, mut write) = tokio::io::split(&mut far);
        let mut all = String::new();
        // A server that answers at once may not take all of a request.
        let (_, ended) = tokio::join!(write.write_all(requests.as_bytes()), read.read_to_string(&mut all));
        ended.unwrap();
        served.await.unwrap().unwrap();
        // Dates differ.
        let lines = all.split("\r\n").filter(|line| !line.starts_with("date: "));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn put_request(path: &str, version: &str, more: &str) -> String {
        format!("PUT {path} HTTP/{version}\r\nHost: x\r\nContent-Length: 4\r\n{more}\r\nbody")
    }

    const ASKS: &str = "Upload-Draft-Interop-Version: 8\r\n";
    const LAST: &str = "Upload-Draft-Interop-Version: 8\r\nConnection: close\r\n";

    fn interim(what: &str) -> String {
        format!("HTTP/1.1 104 Told\nlocation: {what}\n\n")
    }

    fn done(connection: &str) -> String {
        let head = "HTTP/1.1 200 OK\ncontent-type: text/plain; charset=utf-8\ncontent-length: 7";
        format!("{head}\n{connection}\n4 bytes")
    }

    #[tokio::test]
    async fn they_come_in_order_before_the_final_response() {
        for (capacity, least) in [(1, 1), (7, 1), (100, 1), (1 << 20, 2)] {
            let all = answers(capacity, put_request("/interim", "1.1", LAST)).await;
            let before = all.strip_suffix(&done("connection: close\n")).unwrap_or_else(|| panic!("{all}"));
            // Interim responses that are still waiting when the final response is ready are omitted.
            let expected: Vec<String> = ["/a", "/b", "/c"].into_iter().map(interim).collect();
            assert!((least..=3).any(|count| before == expected[..count].concat()), "{all}");
        }
    }

    #[tokio::test]
    async fn they_never_fall_into_the_response_before() {
        for capacity in [100, 65_536, 1 << 20] {
            let requests = format!(
                "GET /large HTTP/1.1\r\nHost: x\r\n\r\n{}{}",
                put_request("/interim", "1.1", ASKS),
                put_request("/interim", "1.1", LAST)
            );
            let all = answers(capacity, requests).await;
            let large_at = all.find(&"x".repeat(LARGE)).expect("the large response is whole");
            assert!(all.find(&interim("/a")).is_some_and(|at| at > large_at), "the first comes after it");
            let all = ["/a", "/b", "/c"].iter().fold(all, |all, what| all.replace(&interim(what), ""));
            let large = format!(
                "HTTP/1.1 200 OK\ncontent-type: text/plain; charset=utf-8\ncontent-length: {LARGE}\n\n{}",
                "x".repeat(LARGE)
            );
            // Each was complete: no part of any is left.
            let expected = format!("{large}{}{}", done(""), done("connection: close\n"));
            assert!(all == expected, "{}", all.replace(&"x".repeat(LARGE), "…"));
        }
    }

    #[tokio::test]
    async fn they_are_for_those_who_understand_them() {
        for (version, more) in [
            ("1.0", LAST),
            ("1.1", "Connection: close\r\n"),
            ("1.1", "Upload-Draft-Interop-Version: 5\r\nConnection: close\r\n"),
        ] {
            let all = answers(1000, put_request("/interim", version, more)).await;
            assert!(all.starts_with(&format!("HTTP/{version} 200 OK\n")), "{all}");
            assert!(all.ends_with("\n\nnobody"), "{all}");
        }
    }

    #[tokio::test]
    async fn they_never_fall_into_the_final_response() {
        for capacity in [1, 1000] {
            let all = answers(capacity, put_request("/late", "1.1", LAST)).await;
            assert!(all.starts_with("HTTP/1.1 200 OK\n"), "{all}");
            assert!(all.ends_with("\n\n1\nx\n1\ny\n1\nz\n0\n\n"), "{all}");
        }
    }

    #[tokio::test]
    async fn who_waits_to_be_told_to_continue_is() {
        let (expects, body) = put_request("/interim", "1.1", &format!("Expect: 100-continue\r\n{LAST}"))
            .split_once("\r\n\r\n")
            .map(|(head, body)| (format!("{head}\r\n\r\n"), body.to_owned()))
            .unwrap();
        let all = answers(1000, format!("{expects}{body}")).await.replace(&interim("/c"), "");
        let end = done("connection: close\n");
        let before = all.strip_suffix(&end).unwrap_or_else(|| panic!("{all}"));
        let expected = format!("{}{}", interim("/a"), interim("/b"));
        assert_eq!(before.replace("HTTP/1.1 100 Continue\n\n", ""), expected);
        assert!(before.contains("HTTP/1.1 100 Continue\n\n"), "{before}");
    }
}
