//! Sends the body of a response into a stream.

use std::error::Error;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Poll, ready};

use bytes::Bytes;
use h2::{Reason, SendStream};
use hyper::body::Body;
use tokio::time::{Instant, timeout};

use super::open_exchange::OpenExchange;
use crate::limits::ClientDeadlines;
use crate::pace::Pace;

/// What is waited for first: bytes to send, or capacity of the stream to send them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum First {
    /// Capacity. Nothing is read from the store for a client that accepts nothing. For bodies that always have bytes to
    /// send: unused capacity is missing on other streams.
    Leave,
    /// Bytes. For bodies that are small, or wait for something to happen.
    Bytes,
}

/// Why a body was not sent to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The client no longer wants it, or is gone.
    Unwanted,
    /// The client accepts nothing, or too little.
    Stalled,
    /// The body failed, or has another length than announced.
    Broken,
}

/// A stream into which a body is sent.
pub(super) struct Sending {
    stream: SendStream<Bytes>,
    patience: ClientDeadlines,
    open: OpenExchange,
    pace: Pace,
}

impl Sending {
    pub(super) fn new(stream: SendStream<Bytes>, patience: ClientDeadlines, open: OpenExchange) -> Self {
        Self { stream, patience, open, pace: Pace::default() }
    }

    /// Sends a body, or resets the stream if the body cannot be completed.
    pub(super) async fn send<B>(mut self, body: B, first: First)
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let reason = match self.send_all(body, first).await {
            Ok(()) | Err(Stopped::Unwanted) => return,
            Err(Stopped::Stalled) => {
                tracing::debug!("resetting a stream because its client reads nothing");
                Reason::CANCEL
            }
            Err(Stopped::Broken) => Reason::INTERNAL_ERROR,
        };
        self.stream.send_reset(reason);
    }

    async fn send_all<B>(&mut self, mut body: B, first: First) -> Result<(), Stopped>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let mut left = body.size_hint().exact();
        loop {
            if first == First::Leave {
                self.leave_for(1).await?;
            }
            let Some(mut bytes) = self.next(&mut body).await? else {
                if left.is_some_and(|left| left > 0) {
                    tracing::error!("a response body ended before its announced length");
                    return Err(Stopped::Broken);
                }
                return self.hand_over(Bytes::new(), true);
            };
            if let Some(left) = &mut left {
                *left = left.checked_sub(bytes.len() as u64).ok_or(Stopped::Broken)?;
            }
            let is_last = body.is_end_stream() && left.is_none_or(|left| left == 0);
            while !bytes.is_empty() {
                let leave = self.leave_for(bytes.len()).await?;
                let part = bytes.split_to(leave.min(bytes.len()));
                self.pace.pass(part.len() as u64);
                self.hand_over(part, is_last && bytes.is_empty())?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// The next bytes of the body, unless the client resets the stream before.
    async fn next<B>(&mut self, body: &mut B) -> Result<Option<Bytes>, Stopped>
    where
        B: Body<Data = Bytes> + Unpin,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        loop {
            let frame = poll_fn(|context| {
                if self.stream.poll_reset(context).is_ready() {
                    return Poll::Ready(Err(Stopped::Unwanted));
                }
                Pin::new(&mut *body).poll_frame(context).map(Ok)
            });
            match frame.await? {
                None => return Ok(None),
                Some(Err(error)) => {
                    let error: Box<dyn Error + Send + Sync> = error.into();
                    tracing::debug!(error, "could not send a response to its end");
                    return Err(Stopped::Broken);
                }
                // Trailers are ignored.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) if !bytes.is_empty() => return Ok(Some(bytes)),
                    _ => {}
                },
            }
        }
    }

    /// Waits until some of `bytes` may be sent, and returns how many.
    async fn leave_for(&mut self, bytes: usize) -> Result<usize, Stopped> {
        self.stream.reserve_capacity(bytes);
        if let leave @ 1.. = self.stream.capacity() {
            return Ok(leave);
        }
        let begun = Instant::now();
        let granted = poll_fn(|context| {
            loop {
                match ready!(self.stream.poll_capacity(context)) {
                    Some(Ok(0)) => {}
                    Some(Ok(leave)) => return Poll::Ready(Ok(leave)),
                    Some(Err(_)) | None => return Poll::Ready(Err(Stopped::Unwanted)),
                }
            }
        });
        let granted = timeout(self.patience.send, pin!(granted)).await.unwrap_or(Err(Stopped::Stalled));
        self.pace.wait(begun.elapsed());
        if self.pace.is_too_slow(self.patience, self.open.count()) {
            return Err(Stopped::Stalled);
        }
        granted
    }

    fn hand_over(&mut self, bytes: Bytes, is_last: bool) -> Result<(), Stopped> {
        self.stream.send_data(bytes, is_last).map_err(|_| Stopped::Unwanted)
    }
}
