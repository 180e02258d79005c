//! Responses that are in memory as a whole while they are sent.

use std::future::{poll_fn, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker, ready};

use axum::body::Body as AnyBody;
use axum::{BoxError, Error};
use bytes::Bytes;
use futures::{FutureExt as _, stream};
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::Instant;
use tonearm_domain::HeldBytes;

use crate::limits::ClientDeadlines;
use crate::pace::Pace;

/// Bytes of a response that are handed over at once, and the largest response that is sent without a limit of its own.
pub(crate) const PIECE: usize = 64 * 1024;

/// How many times faster than other responses these must be read: their memory is not free before their end.
const TIMES_FASTER: u32 = 8;

/// A response body that is handed over in pieces, and that fails if the client reads it too slowly, or if others need the
/// memory.
pub(crate) struct PacedBody {
    content: Arc<Content>,
    patience: ClientDeadlines,
    pace: Pace,
    handed_over: Option<Instant>,
}

/// What is left of a response; `None` once its memory is needed by others.
struct Content(Mutex<Option<Rest>>);

struct Rest {
    body: AnyBody,
    /// Bytes of the body that were not handed over yet.
    bytes: Bytes,
    /// Released when the response was sent, or its client is gone.
    held: Vec<HeldBytes>,
}

/// The client reads too little.
#[derive(Debug, thiserror::Error)]
#[error("the client reads the response too slowly")]
struct TooSlow;

/// The client leaves too much unread.
#[derive(Debug, thiserror::Error)]
#[error("the memory of the response was needed for others")]
struct Displaced;

impl PacedBody {
    pub(crate) fn new(mut body: AnyBody, patience: ClientDeadlines) -> Self {
        let bytes_per_second = patience.bytes_per_second.saturating_mul(TIMES_FASTER);
        let patience = ClientDeadlines { bytes_per_second, ..patience };
        let first = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).now_or_never().flatten();
        let bytes = match first.map(|first| first.map(Frame::into_data)) {
            Some(Ok(Ok(bytes))) => bytes,
            Some(Err(error)) => {
                body = AnyBody::from_stream(stream::once(ready(Err::<Bytes, _>(error))));
                Bytes::new()
            }
            // Trailers, of a response without data.
            Some(Ok(Err(_))) | None => Bytes::new(),
        };
        let content = Content(Mutex::new(Some(Rest { body, bytes, held: Vec::new() })));
        Self { content: Arc::new(content), patience, pace: Pace::default(), handed_over: None }
    }

    /// Bytes of memory that nothing else shares. A body of unknown size is not in memory as a whole, or shares what it
    /// sends with others.
    pub(crate) fn own_bytes(&self) -> u64 {
        let is_shared = self.content.rest().as_ref().is_some_and(|rest| {
            rest.body.is_end_stream() && !rest.bytes.is_empty() && !rest.bytes.is_unique()
        });
        if is_shared { 0 } else { self.size_hint().exact().unwrap_or(0) }
    }

    /// Holds bytes of budgets until the end, or until one of them needs its bytes for others.
    pub(crate) fn holding(self, held: Vec<HeldBytes>) -> Self {
        let waker = Waker::from(Arc::clone(&self.content));
        held.iter().for_each(|held| held.wake_when_displaced(&waker));
        if let Some(rest) = &mut *self.content.rest() {
            rest.held.extend(held);
        }
        self
    }
}

impl Content {
    fn rest(&self) -> MutexGuard<'_, Option<Rest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn free(&self) {
        let rest = self.rest().take();
        drop(rest);
    }
}

/// Called when the memory is needed for others. It is free at once, even if the client reads nothing more and the
/// connection therefore does not ask for the next piece.
impl Wake for Content {
    fn wake(self: Arc<Self>) {
        self.free();
    }
}

/// The budgets know the content, which holds their bytes.
impl Drop for PacedBody {
    fn drop(&mut self) {
        self.content.free();
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
        let mut rest = this.content.rest();
        let Some(rest) = &mut *rest else { return Poll::Ready(Some(Err(Displaced.into()))) };
        if rest.bytes.is_empty() {
            match ready!(Pin::new(&mut rest.body).poll_frame(context)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(Error::into_inner(error)))),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => rest.bytes = bytes,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
            }
        }
        let piece = rest.bytes.split_to(rest.bytes.len().min(PIECE));
        this.pace.pass(piece.len() as u64);
        this.handed_over = Some(Instant::now());
        // A copy: a piece that is not sent yet would keep the memory of the whole.
        Poll::Ready(Some(Ok(Frame::data(Bytes::copy_from_slice(&piece)))))
    }

    fn is_end_stream(&self) -> bool {
        self.content.rest().as_ref().is_some_and(|rest| rest.bytes.is_empty() && rest.body.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.content.rest();
        let left =
            rest.as_ref().and_then(|rest| Some(rest.body.size_hint().exact()? + rest.bytes.len() as u64));
        left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tonearm_domain::ByteBudget;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    const PATIENCE: ClientDeadlines = ClientDeadlines { head: MINUTE, send: MINUTE, bytes_per_second: 500 };

    /// The bytes that a client gets that pauses before it takes each piece.
    async fn read(size: usize, pause: Duration) -> (usize, bool) {
        let mut body = PacedBody::new(AnyBody::from(vec![7; size]), PATIENCE);
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

    #[test]
    fn memory_that_others_share_is_not_its_own() {
        static TEXT: [u8; 3 * PIECE] = [7; 3 * PIECE];
        let shared = Bytes::from(TEXT.to_vec());
        let own = |body: AnyBody| PacedBody::new(body, PATIENCE).own_bytes();
        assert_eq!(own(TEXT.to_vec().into()), 3 * PIECE as u64);
        assert_eq!(own(TEXT.as_slice().into()), 0);
        assert_eq!(own(shared.clone().into()), 0);
        assert_eq!(own(AnyBody::from_stream(stream::iter([Ok::<_, Error>(shared)]))), 0);
    }

    #[tokio::test]
    async fn a_response_gives_up_its_memory_at_once() {
        let budget = ByteBudget::new(1000, || {});
        let mut held = budget.holder("one");
        assert!(held.grow(1000));
        let mut body = PacedBody::new(vec![7; 3 * PIECE].into(), PATIENCE).holding(vec![held]);
        let mut next = async || poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
        assert!(next().await.unwrap().is_ok());
        assert!(budget.holder("other").grow(1));
        assert!(next().await.unwrap().is_err());
        assert!(body.content.rest().is_none());
        drop(body);
        assert!(budget.holder("one").grow(1000));
    }
}
