//! Responses that are in memory as a whole while they are sent.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body as AnyBody;
use axum::{BoxError, Error};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;
use tonearm_domain::Held;

use crate::limits::ClientDeadlines;
use crate::pace::Pace;

/// Bytes of a response that are handed over at once, and the largest response that is sent without a limit of its own.
pub(crate) const PIECE: usize = 64 * 1024;

/// How many times faster than other responses these must be read: their memory is not free before their end.
const TIMES_FASTER: u32 = 8;

/// A response body that is handed over in pieces, and that fails if the client reads it too slowly.
pub(crate) struct PacedBody {
    body: AnyBody,
    /// Bytes of the body that were not handed over yet.
    rest: Bytes,
    patience: ClientDeadlines,
    pace: Pace,
    handed_over: Option<Instant>,
    /// Released when the response was sent, or its client is gone.
    _held: Vec<Held>,
}

/// The client reads too little.
#[derive(Debug, thiserror::Error)]
#[error("the client reads the response too slowly")]
struct TooSlow;

impl PacedBody {
    pub(crate) fn new(body: AnyBody, patience: ClientDeadlines, held: Vec<Held>) -> Self {
        let bytes_per_second = patience.bytes_per_second.saturating_mul(TIMES_FASTER);
        let patience = ClientDeadlines { bytes_per_second, ..patience };
        Self { body, rest: Bytes::new(), patience, pace: Pace::default(), handed_over: None, _held: held }
    }

    fn next_piece(&mut self) -> Frame<Bytes> {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.pace.pass(piece.len() as u64);
        self.handed_over = Some(Instant::now());
        Frame::data(piece)
    }
}

impl Body for PacedBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        // The next piece is asked for when the client has taken most of the one before.
        if let Some(handed_over) = this.handed_over.take() {
            this.pace.wait(handed_over.elapsed());
            if this.pace.is_too_slow(this.patience, 1) {
                return Poll::Ready(Some(Err(TooSlow.into())));
            }
        }
        if !this.rest.is_empty() {
            return Poll::Ready(Some(Ok(this.next_piece())));
        }
        Pin::new(&mut this.body).poll_frame(context).map(|frame| {
            let frame = match frame? {
                Ok(frame) => frame,
                Err(error) => return Some(Err(Error::into_inner(error))),
            };
            match frame.into_data() {
                Ok(bytes) => {
                    this.rest = bytes;
                    Some(Ok(this.next_piece()))
                }
                Err(other) => Some(Ok(other)),
            }
        })
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        match self.body.size_hint().exact() {
            Some(left) => SizeHint::with_exact(left + self.rest.len() as u64),
            None => SizeHint::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// The bytes that a client gets that pauses before it takes each piece.
    async fn read(size: usize, pause: Duration) -> (usize, bool) {
        let patience = ClientDeadlines { head: MINUTE, send: MINUTE, bytes_per_second: 500 };
        let mut body = PacedBody::new(AnyBody::from(vec![7; size]), patience, Vec::new());
        assert_eq!(body.size_hint().exact(), Some(size as u64));
        let mut taken = 0;
        while let Some(frame) = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await {
            let Ok(frame) = frame else { return (taken, false) };
            let piece = frame.into_data().unwrap().len();
            assert!(piece <= PIECE);
            taken += piece;
            assert_eq!(body.size_hint().exact(), Some((size - taken) as u64));
            tokio::time::sleep(pause).await;
        }
        (taken, true)
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_in_memory_is_not_held_by_a_slow_client() {
        assert_eq!(read(10 * PIECE + 1, Duration::ZERO).await, (10 * PIECE + 1, true));
        // 64 KiB in 16 seconds are 4096 bytes a second.
        assert_eq!(read(10 * PIECE, Duration::from_secs(16)).await, (10 * PIECE, true));
        // 500 bytes a second are enough for objects only.
        assert_eq!(read(10 * PIECE, Duration::from_secs(131)).await, (PIECE, false));
    }
}
