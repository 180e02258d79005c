//! The end of a connection whose client may still be sending (RFC 9112 section 9.6).
//!
//! If a socket is closed while it has unread bytes, the client gets a reset, which may discard the response that it has
//! not read yet. So the server ends only its own side, and discards what arrives until the client ends the other. The same
//! holds for a stream of HTTP/2: clients that are told to stop sending take the response for lost.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long this takes at most.
pub(crate) const LONGEST: Duration = Duration::from_secs(30);

/// How long a client may send nothing meanwhile.
pub(crate) const LONGEST_SILENCE: Duration = Duration::from_secs(2);

/// How far it is.
#[derive(Debug)]
pub(crate) struct Lingering {
    end: Instant,
    silence: Pin<Box<Sleep>>,
}

impl Lingering {
    pub(crate) fn begin() -> Self {
        let now = Instant::now();
        Self { end: now + LONGEST, silence: Box::pin(sleep_until(now + LONGEST_SILENCE)) }
    }

    /// Ready once the client has ended its side, or had enough time for it.
    pub(crate) fn poll<S: AsyncRead + Unpin>(
        &mut self,
        stream: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut discarded = [0; 8192];
        loop {
            let mut buffer = ReadBuf::new(&mut discarded);
            match Pin::new(&mut *stream).poll_read(context, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() && Instant::now() < self.end => {
                    let silence = (Instant::now() + LONGEST_SILENCE).min(self.end);
                    self.silence.as_mut().reset(silence);
                }
                // The response was sent. A client that has gone away misses nothing.
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    ready!(self.silence.as_mut().poll(context));
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }
}
