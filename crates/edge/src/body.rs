//! The body of an answer that sends an object.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body as AnyBody;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::Version;
use http::request::Parts;
use http_body::{Body, Frame, SizeHint};
use tonearm_blobs::{Chunks, Reading};
use tonearm_domain::RequestId;

use crate::counted::Tally;

/// Put among the extensions of a request by a server whose connection passes what it sends to the kernel as it is:
/// no TLS, no compression, nothing that would look at the bytes.
#[derive(Debug, Clone, Copy)]
pub struct PlainConnection;

/// What will be done with the bytes of the answer.
pub(crate) fn reading(request: &Parts) -> Reading {
    let plain = request.extensions.get::<PlainConnection>().is_some();
    // HTTP/2 cuts bodies into frames and copies small ones.
    if plain && request.version <= Version::HTTP_11 { Reading::Mapped } else { Reading::Copied }
}

/// The body of an answer, before it is known how it will travel.
pub enum Content {
    /// None.
    Empty,
    /// A few bytes.
    Text(Bytes),
    /// One run of bytes of an object.
    Object(Sending<Chunks>),
    /// Several of them, with what stands between.
    Parts(AnyBody),
}

impl Content {
    /// As a body that any server can send.
    pub fn into_body(self) -> AnyBody {
        match self {
            Self::Empty => AnyBody::empty(),
            Self::Text(text) => text.into(),
            Self::Object(sending) => AnyBody::new(sending),
            Self::Parts(body) => body,
        }
    }
}

/// Chunks that come to a length known before, on their way to a client.
pub struct Sending<S> {
    chunks: S,
    left: u64,
    request_id: RequestId,
    tally: Tally,
}

impl<S> Sending<S> {
    pub(crate) fn new(chunks: S, length: u64, request_id: RequestId, tally: Tally) -> Self {
        Self { chunks, left: length, request_id, tally }
    }
}

impl<S, E> Body for Sending<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    type Data = Bytes;
    type Error = E;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, E>>> {
        let next = ready!(self.chunks.poll_next_unpin(context));
        match &next {
            Some(Ok(bytes)) => {
                self.left = self.left.saturating_sub(bytes.len() as u64);
                self.tally.add(bytes.len());
            }
            // The status is long sent, so the connection is cut and the reason told here.
            Some(Err(error)) => {
                let error: &dyn Error = error;
                tracing::error!(request_id = %self.request_id, error, "an object could not be sent to its end");
            }
            None => {}
        }
        Poll::Ready(next.map(|chunk| chunk.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
