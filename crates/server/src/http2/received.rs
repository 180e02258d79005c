//! The body of a request over HTTP/2.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use h2::RecvStream;
use hyper::body::{Body, Frame, SizeHint};

/// A request body that allows the client to send more as bytes are read.
pub(super) struct Received {
    stream: RecvStream,
    /// Announced bytes that have not been received yet.
    left: Option<u64>,
}

impl Received {
    pub(super) fn new(stream: RecvStream, announced: Option<u64>) -> Self {
        Self { stream, left: announced }
    }
}

impl Body for Received {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let Some(bytes) = ready!(self.stream.poll_data(context)) else { return Poll::Ready(None) };
        let bytes = bytes?;
        self.stream.flow_control().release_capacity(bytes.len())?;
        self.left = self.left.map(|left| left.saturating_sub(bytes.len() as u64));
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.left {
            Some(left) => SizeHint::with_exact(left),
            None if self.is_end_stream() => SizeHint::with_exact(0),
            None => SizeHint::default(),
        }
    }
}
