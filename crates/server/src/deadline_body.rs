//! Timeouts for the bodies of requests.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body as AnyBody;
use axum::{BoxError, Error};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::ClientDeadlines;
use crate::pace::Pace;

/// A request body that fails if its bytes stop coming, or come too slowly. Used for every page and every endpoint.
pub(crate) struct DeadlineBody {
    body: AnyBody,
    patience: ClientDeadlines,
    /// When the current wait for bytes began, and its timeout.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    pace: Pace,
}

/// The client has stopped sending, or sends too little.
#[derive(Debug, thiserror::Error)]
#[error("the client did not send the rest of the request in time")]
struct Stalled;

impl DeadlineBody {
    pub(crate) fn new(body: AnyBody, patience: ClientDeadlines) -> Self {
        Self { body, patience, waiting: None, pace: Pace::default() }
    }
}

impl Body for DeadlineBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Ready(frame) => {
                if let Some((since, _)) = this.waiting.take() {
                    this.pace.wait(since.elapsed());
                }
                if let Some(Ok(frame)) = &frame {
                    let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
                    tonearm_telemetry::received(bytes);
                    this.pace.pass(bytes);
                }
                if this.pace.is_too_slow(this.patience, 1) {
                    return Poll::Ready(Some(Err(Stalled.into())));
                }
                Poll::Ready(frame.map(|frame| frame.map_err(Error::into_inner)))
            }
            Poll::Pending => {
                let begin = || (Instant::now(), Box::pin(sleep(this.patience.send)));
                let (_, deadline) = this.waiting.get_or_insert_with(begin);
                ready!(deadline.as_mut().poll(context));
                Poll::Ready(Some(Err(Stalled.into())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
