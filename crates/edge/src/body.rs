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

/// Why a body does not come to its end. Whatever the protocol, the client must not take it for the whole.
#[derive(Debug, thiserror::Error)]
pub enum SendError<E: Error + 'static> {
    /// The object could not be read.
    #[error(transparent)]
    Read(E),
    /// What was read has another number of bytes than the client was told.
    #[error("an object has another length than was announced")]
    Length,
}

impl<S, E> Sending<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    /// The next chunk, if it is one that was announced.
    fn checked(&mut self, next: Option<Result<Bytes, E>>) -> Option<Result<Bytes, SendError<E>>> {
        match next {
            Some(Ok(bytes)) => match self.left.checked_sub(bytes.len() as u64) {
                Some(left) => {
                    self.left = left;
                    Some(Ok(bytes))
                }
                None => Some(Err(SendError::Length)),
            },
            Some(Err(error)) => Some(Err(SendError::Read(error))),
            None if self.left > 0 => Some(Err(SendError::Length)),
            None => None,
        }
    }
}

impl<S, E> Body for Sending<S>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error + Send + Sync + 'static,
{
    type Data = Bytes;
    type Error = SendError<E>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, SendError<E>>>> {
        let next = ready!(self.chunks.poll_next_unpin(context));
        let next = self.checked(next);
        match &next {
            Some(Ok(bytes)) => self.tally.add(bytes.len()),
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use futures::stream;
    use http_body_util::BodyExt as _;
    use tonearm_domain::Meter;
    use tonearm_fixtures::ambient;

    use super::*;
    use crate::counted::Counter;

    async fn send(announced: u64, chunks: Vec<io::Result<Bytes>>) -> Result<Bytes, SendError<io::Error>> {
        let ambient = ambient().0;
        let name = "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3";
        let key = Arc::new(name.parse().unwrap());
        let request_id = ambient.credential_id();
        let counter = Arc::new(Counter { meter: Meter::new(), ambient });
        let tally = Tally { counter, key, is_start: true };
        let body = Sending::new(stream::iter(chunks), announced, request_id, tally);
        Ok(body.collect().await?.to_bytes())
    }

    #[tokio::test]
    async fn a_body_has_the_length_that_was_announced() {
        let chunks = |sizes: &[usize]| sizes.iter().map(|&size| Ok(vec![7; size].into())).collect();
        assert_eq!(send(5, chunks(&[2, 3])).await.unwrap().len(), 5);
        assert_eq!(send(0, chunks(&[])).await.unwrap().len(), 0);
        for (announced, sizes) in [(5, &[2, 2][..]), (5, &[]), (3, &[2, 2])] {
            let sent = send(announced, chunks(sizes)).await;
            assert!(matches!(sent, Err(SendError::Length)), "{announced} {sizes:?}");
        }
        let failed = send(5, vec![Ok(vec![7; 5].into()), Err(io::Error::other("gone"))]).await;
        assert!(matches!(failed, Err(SendError::Read(_))));
    }
}
