//! Bodies of requests that were answered before somebody read them, as refused ones are. On HTTP/1.1, the next request of
//! the client follows after the body. On HTTP/2, the client is still sending it.

use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::Body as AnyBody;
use axum::{BoxError, Error};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, timeout_at};

use crate::lingering::{LONGEST, LONGEST_SILENCE};

/// The most bytes that are read for the next request. After a larger rest, the connection ends.
const MOST_READ: u64 = 64 * 1024;

/// Where a body is put that is dropped before its end.
#[derive(Clone, Default)]
pub(crate) struct UnreadBody(Arc<Mutex<Option<AnyBody>>>);

impl UnreadBody {
    /// The body of a request, for those who may read it.
    pub(crate) fn of(&self, body: AnyBody) -> AnyBody {
        AnyBody::new(Readable { body, has_ended: false, unread: self.clone() })
    }

    /// Reads what is left of the body. Returns whether that was all of it. A client that waits to be told to continue
    /// (`Expect`) must not be told to, so its body is left.
    pub(crate) async fn is_over(&self, is_waiting: bool) -> bool {
        let Some(mut body) = self.left().take() else { return true };
        if is_waiting {
            return false;
        }
        let mut rest = MOST_READ;
        while !body.is_end_stream() {
            if body.size_hint().lower() > rest {
                return false;
            }
            match next_frame(&mut body).await {
                None => break,
                Some(Err(_)) => return false,
                Some(Ok(frame)) => {
                    let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
                    let Some(left) = rest.checked_sub(bytes) else { return false };
                    rest = left;
                }
            }
        }
        true
    }

    /// Discards what is left of the body, until its end or until the client has had enough time.
    pub(crate) async fn discard(&self) {
        let Some(mut body) = self.left().take() else { return };
        let end = Instant::now() + LONGEST;
        while !body.is_end_stream() {
            let silence = (Instant::now() + LONGEST_SILENCE).min(end);
            let frame = timeout_at(silence, next_frame(&mut body)).await;
            if !matches!(frame, Ok(Some(Ok(_)))) || Instant::now() >= end {
                return;
            }
        }
    }

    fn left(&self) -> MutexGuard<'_, Option<AnyBody>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn next_frame(body: &mut AnyBody) -> Option<Result<Frame<Bytes>, Error>> {
    poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await
}

struct Readable {
    body: AnyBody,
    has_ended: bool,
    unread: UnreadBody,
}

impl Drop for Readable {
    fn drop(&mut self) {
        if !self.has_ended && !self.body.is_end_stream() {
            *self.unread.left() = Some(mem::take(&mut self.body));
        }
    }
}

impl Body for Readable {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(frame) = &polled {
            self.has_ended = !matches!(frame, Some(Ok(_)));
        }
        polled.map_err(Error::into_inner)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
