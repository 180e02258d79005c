//! The body of a response that sends an object.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body as AnyBody;
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::{Body, Frame, SizeHint};
use tonearm_blobs::{BlobError, Chunks, Part};
use tonearm_domain::RequestId;

use crate::counted::Tally;

/// The body of a response, independent of the server that sends it.
pub enum Content {
    /// None.
    Empty,
    /// A few bytes.
    Text(Bytes),
    /// One contiguous range of an object.
    Object(Sending<Chunks>),
    /// Several ranges, with the multipart headers between them.
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

/// Chunks of a known total length that are sent to a client.
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

/// Why a body is incomplete. With every protocol, the client must be able to detect that.
#[derive(Debug, thiserror::Error)]
pub enum SendError<E: Error + 'static> {
    /// The object could not be read.
    #[error(transparent)]
    Read(E),
    /// The object has another number of bytes than announced to the client.
    #[error("the object does not have the announced length")]
    Length,
}

impl<S> Sending<S> {
    /// Returns the next bytes, unless they exceed the announced length, and counts them as sent.
    fn check<T, E: Error + Send + Sync + 'static>(
        &mut self,
        next: Option<Result<T, E>>,
        length: impl Fn(&T) -> usize,
    ) -> Option<Result<T, SendError<E>>> {
        let checked = match next {
            Some(Ok(bytes)) => match self.left.checked_sub(length(&bytes) as u64) {
                Some(left) => {
                    self.left = left;
                    self.tally.add(length(&bytes));
                    return Some(Ok(bytes));
                }
                None => SendError::Length,
            },
            Some(Err(error)) => SendError::Read(error),
            None if self.left > 0 => SendError::Length,
            None => return None,
        };
        // The status has already been sent, so the connection is cut and the reason is logged here.
        let error: &dyn Error = &checked;
        tracing::error!(request_id = %self.request_id, error, "could not send an object to its end");
        Some(Err(checked))
    }
}

impl Sending<Chunks> {
    /// The next bytes, for a server that writes them into a socket as they are.
    pub fn poll_part(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Part, SendError<BlobError>>>> {
        let next = ready!(self.chunks.poll_part(context));
        Poll::Ready(self.check(next, Part::len))
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
        Poll::Ready(self.check(next, Bytes::len).map(|chunk| chunk.map(Frame::data)))
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
    use tonearm_signing::{Secrets, UrlSigner};

    use super::*;
    use crate::counted::{Counter, Sender};

    async fn send(announced: u64, chunks: Vec<io::Result<Bytes>>) -> Result<Bytes, SendError<io::Error>> {
        let ambient = ambient().0;
        let name = "018f0000-0000-7000-8000-000000000001/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3";
        let key = Arc::new(name.parse().unwrap());
        let request_id = ambient.credential_id();
        let hasher = UrlSigner::new(Secrets::from_bytes([1; 32])).listener_hasher();
        let counter = Arc::new(Counter { meter: Meter::new(), ambient, hasher, countries: None });
        let tally = counter.tally(key, true, None, announced, &Sender::default());
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
