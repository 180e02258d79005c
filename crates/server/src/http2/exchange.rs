//! A request over HTTP/2 and its response.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::task::{Context, Poll};

use axum::body::Body as AnyBody;
use bytes::Bytes;
use futures::future::BoxFuture;
use h2::RecvStream;
use h2::server::SendResponse;
use hyper::body::Body;
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::{request, response};
use hyper::{Method, Request, Response, StatusCode};
use tokio::sync::mpsc::Receiver;
use tonearm_api::{InterimResponse, InterimResponses};
use tonearm_domain::{Ambient, Timestamp};
use tonearm_edge::{Content, Edge};

use super::open_exchange::OpenExchange;
use super::received::Received;
use super::sending::{First, Sending};
use crate::front::{Connection, Front};
use crate::http_date::http_date;
use crate::limits::ClientDeadlines;
use crate::request_metrics;
use crate::unread_body::UnreadBody;

/// Headers that are specific to a connection of HTTP/1 (RFC 9113, section 8.2.2).
const OF_CONNECTIONS: [HeaderName; 5] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// A running exchange, as a future.
pub(super) type Running = BoxFuture<'static, ()>;

/// The data that the exchanges of a connection share.
pub(super) struct Exchanges {
    front: Front,
    connection: Connection,
    patience: ClientDeadlines,
    open: Arc<AtomicUsize>,
}

impl Exchanges {
    pub(super) fn new(front: Front, connection: Connection, patience: ClientDeadlines) -> Self {
        Self { front, connection, patience, open: Arc::default() }
    }

    /// Answers a request.
    pub(super) fn run(&self, request: Request<RecvStream>, respond: SendResponse<Bytes>) -> Running {
        let open = OpenExchange::one_more(&self.open);
        let (patience, ambient) = (self.patience, self.front.ambient.clone());
        let reply = Reply { respond, patience, open, ambient, interim: None };
        let (mut head, body) = request.into_parts();
        let length = head.headers.get(header::CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        let unread = UnreadBody::default();
        let body = unread.of(AnyBody::new(Received::new(body, length)));
        // In HTTP/2 the authority is the host, whatever a header line says (RFC 9113, section 8.3.1).
        let host = head.uri.authority().and_then(|host| HeaderValue::from_str(host.as_str()).ok());
        if let Some(host) = host {
            head.headers.insert(header::HOST, host);
        }
        if head.method == Method::CONNECT {
            request_metrics::count_unrouted(StatusCode::METHOD_NOT_ALLOWED);
            drop(body);
            return Box::pin(then_discard(reply.refuse(StatusCode::METHOD_NOT_ALLOWED), unread));
        }
        match self.front.edge_for(head.uri.path()) {
            // The body of a request for an object has no meaning, and is not waited for.
            Some(edge) => {
                let client = self.front.client(self.connection, &head.headers);
                head.extensions.insert(client);
                drop(body);
                Box::pin(then_discard(deliver(edge.clone(), head, reply), unread))
            }
            None => {
                let interim = InterimResponses::are_wanted(&head.headers).then(|| {
                    let (sender, receiver) = InterimResponses::channel();
                    head.extensions.insert(sender);
                    receiver
                });
                let answer = self.front.route_elsewhere(Request::from_parts(head, body), self.connection);
                Box::pin(then_discard(route(answer, interim, reply), unread))
            }
        }
    }
}

/// Sends a response, and discards what the client still sends after it.
async fn then_discard(response: impl Future<Output = ()>, unread: UnreadBody) {
    response.await;
    unread.discard().await;
}

/// Sends an object.
async fn deliver(edge: Edge, head: request::Parts, mut reply: Reply) {
    // Boxed, so that the memory of the future is freed before the response is sent, which may take long.
    let answer = Box::pin(async move { edge.answer(&head).await });
    let Some(response) = reply.unless_reset(answer).await else { return };
    let (head, content) = response.into_parts();
    match content {
        Content::Empty => reply.send(head, AnyBody::empty(), First::Bytes).await,
        Content::Text(text) => reply.send(head, AnyBody::from(text), First::Bytes).await,
        Content::Object(object) => reply.send(head, object, First::Leave).await,
        Content::Parts(parts) => reply.send(head, parts, First::Leave).await,
    }
}

/// Sends the router's response, and the interim responses before it.
async fn route(
    answer: impl Future<Output = Response<AnyBody>>,
    interim: Option<Receiver<InterimResponse>>,
    mut reply: Reply,
) {
    reply.interim = interim;
    let Some(response) = reply.unless_reset(answer).await else { return };
    let (head, body) = response.into_parts();
    reply.send(head, body, First::Bytes).await;
}

/// The stream into which a response is sent.
struct Reply {
    respond: SendResponse<Bytes>,
    patience: ClientDeadlines,
    open: OpenExchange,
    ambient: Ambient,
    /// The interim responses to send, if the client wants them.
    interim: Option<Receiver<InterimResponse>>,
}

impl Reply {
    /// The result of `work`; `None` if the client resets the stream before.
    async fn unless_reset<F: Future>(&mut self, work: F) -> Option<F::Output> {
        let mut work = pin!(work);
        poll_fn(|context| match self.respond.poll_reset(context) {
            Poll::Ready(_) => Poll::Ready(None),
            Poll::Pending => {
                self.send_interim(context);
                work.as_mut().poll(context).map(Some)
            }
        })
        .await
    }

    /// Sends the interim responses that are available.
    fn send_interim(&mut self, context: &mut Context<'_>) {
        let Some(interim) = &mut self.interim else { return };
        while let Poll::Ready(Some(interim)) = interim.poll_recv(context) {
            let mut response = Response::new(());
            *response.status_mut() = interim.status;
            *response.headers_mut() = interim.headers;
            if let Err(error) = self.respond.send_informational(response) {
                tracing::debug!(%error, "could not send an interim response");
            }
        }
    }

    async fn refuse(self, status: StatusCode) {
        let mut response = Response::new(AnyBody::empty());
        *response.status_mut() = status;
        let (head, body) = response.into_parts();
        self.send(head, body, First::Bytes).await;
    }

    async fn send<B>(mut self, mut head: response::Parts, body: B, first: First)
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        finish(&mut head, body.size_hint().exact(), self.ambient.now());
        let is_whole = body.is_end_stream();
        match self.respond.send_response(Response::from_parts(head, ()), is_whole) {
            Ok(stream) if !is_whole => Sending::new(stream, self.patience, self.open).send(body, first).await,
            Ok(_) => {}
            Err(error) => tracing::debug!(%error, "could not send a response"),
        }
    }
}

/// Adapts the head of a response to HTTP/2.
fn finish(head: &mut response::Parts, length: Option<u64>, now: Timestamp) {
    for name in &OF_CONNECTIONS {
        head.headers.remove(name);
    }
    if let Some(length @ 1..) = length {
        head.headers.entry(header::CONTENT_LENGTH).or_insert_with(|| length.into());
    }
    if let Ok(date) = HeaderValue::from_bytes(&http_date(now)) {
        head.headers.entry(header::DATE).or_insert(date);
    }
}
