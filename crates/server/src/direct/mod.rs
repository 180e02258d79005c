//! Serves objects over plain HTTP/1.1, directly between the socket and the edge. This is most of a node's work.
//!
//! Only GET and HEAD requests for an object, without a body, are understood here. A connection on which anything else
//! arrives, valid or not, is handed to the HTTP server with all bytes that were read and not yet answered. It comes
//! back once the server has answered everything and nothing more follows.

mod head;
mod request_head;
mod writing;

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead as _, ReadBuf};
use tokio::net::TcpStream;
use tonearm_edge::Edge;

use self::request_head::{ObjectRequest, Parsed, Request};

pub(crate) use self::request_head::Peer;
use crate::progress::Progress;

/// Bytes read at once. The buffer is on the stack, so that a waiting connection holds none.
const READ_BYTES: usize = 4096;

/// The longest partial head that is kept here, in bytes.
const MOST_UNREAD: usize = 16 * 1024;

/// How serving a connection here ended.
pub(crate) enum Ended {
    /// The client is gone, or the connection was closed after the last response.
    Closed,
    /// These bytes, and what follows them, are for the HTTP server.
    Other(Bytes),
}

/// What was read from the socket.
#[allow(clippy::large_enum_variant, reason = "a box would be an allocation for each request")]
enum Incoming {
    Object(ObjectRequest),
    Other,
    End,
}

/// One connection, as long as only objects are requested.
pub(crate) struct Direct<'a> {
    pub(crate) stream: &'a mut TcpStream,
    /// The edge, if this node delivers.
    pub(crate) edge: Option<&'a Edge>,
    pub(crate) progress: &'a Progress,
    peer: Peer<'a>,
    /// Bytes that were read and not yet parsed.
    unread: Vec<u8>,
}

impl<'a> Direct<'a> {
    /// `read` has the bytes that were already read from the stream.
    pub(crate) fn new(
        stream: &'a mut TcpStream,
        read: Bytes,
        edge: Option<&'a Edge>,
        progress: &'a Progress,
        peer: Peer<'a>,
    ) -> Self {
        Self { stream, edge, progress, peer, unread: read.into() }
    }

    /// Answers one request after another.
    pub(crate) async fn converse(mut self) -> io::Result<Ended> {
        loop {
            if self.progress.is_closing() && self.unread.is_empty() {
                return Ok(Ended::Closed);
            }
            self.progress.await_head();
            let object = match std::future::poll_fn(|context| self.poll_incoming(context)).await? {
                Incoming::Object(object) => object,
                Incoming::Other => return Ok(Ended::Other(self.unread.into())),
                Incoming::End => return Ok(Ended::Closed),
            };
            self.progress.begin_answer();
            let is_last = object.is_last || self.progress.is_closing();
            self.answer(object, is_last).await?;
            if is_last {
                return Ok(Ended::Closed);
            }
        }
    }

    async fn answer(&mut self, object: ObjectRequest, is_last: bool) -> io::Result<()> {
        let Some(edge) = self.edge else { return Ok(()) };
        let request = match object.request {
            Request::Repeated(answer) => {
                let head = head::of_repeated(&answer, edge.now(), is_last);
                return self.send_body(head.into(), answer.content).await;
            }
            Request::New(request) => request,
        };
        // Boxed, so that the memory of the future is freed before the response is sent, which may take long.
        let response = Box::pin(edge.answer(&request)).await;
        drop(request);
        let (head, content) = response.into_parts();
        let head = head::of(&head, edge.now(), is_last);
        self.send(head, content).await
    }

    fn poll_incoming(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Incoming>> {
        // More requests may have arrived while one was answered.
        if !self.unread.is_empty()
            && let Some(incoming) = self.parse_unread()
        {
            return Poll::Ready(Ok(incoming));
        }
        loop {
            let mut space = [std::mem::MaybeUninit::uninit(); READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut space);
            ready!(Pin::new(&mut *self.stream).poll_read(context, &mut buffer))?;
            let read = buffer.filled();
            if read.is_empty() {
                // An incomplete request is ignored.
                return Poll::Ready(Ok(Incoming::End));
            }
            let incoming = if self.unread.is_empty() {
                self.parse_read(read)
            } else {
                self.unread.extend_from_slice(read);
                self.parse_unread()
            };
            if let Some(incoming) = incoming {
                return Poll::Ready(Ok(incoming));
            }
        }
    }

    /// Parses the bytes that were just read, and keeps the rest.
    fn parse_read(&mut self, read: &[u8]) -> Option<Incoming> {
        match request_head::parse(read, self.edge, self.peer) {
            Parsed::Object { object, length } => {
                self.unread.extend_from_slice(&read[length..]);
                Some(Incoming::Object(object))
            }
            Parsed::Other => {
                self.unread.extend_from_slice(read);
                Some(Incoming::Other)
            }
            Parsed::Partial => {
                self.unread.extend_from_slice(read);
                None
            }
        }
    }

    fn parse_unread(&mut self) -> Option<Incoming> {
        match request_head::parse(&self.unread, self.edge, self.peer) {
            Parsed::Object { object, length } => {
                self.unread.drain(..length);
                if self.unread.is_empty() {
                    self.unread = Vec::new();
                }
                Some(Incoming::Object(object))
            }
            Parsed::Other => Some(Incoming::Other),
            Parsed::Partial => (self.unread.len() > MOST_UNREAD).then_some(Incoming::Other),
        }
    }
}
