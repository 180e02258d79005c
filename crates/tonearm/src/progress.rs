//! Whether the other end of a connection takes what it is sent.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How often in the time that a client has it is looked at.
const LOOKS: u32 = 4;

/// What has been sent over a connection. Cheap to keep: each write costs a store or two, and no timer is touched.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    written: AtomicU64,
    blocked: AtomicBool,
}

impl Progress {
    /// Ends when the client has taken nothing for `limit`, or a quarter longer, although there was something to take.
    pub(crate) async fn stalled(&self, limit: Duration) {
        let mut seen = 0;
        let mut quiet = 0;
        while quiet < LOOKS {
            tokio::time::sleep(limit / LOOKS).await;
            let written = self.written.load(Ordering::Relaxed);
            let waits = self.blocked.load(Ordering::Relaxed) && written == seen;
            quiet = if waits { quiet + 1 } else { 0 };
            seen = written;
        }
    }

    fn note<T>(&self, written: &Poll<io::Result<T>>, count: impl Fn(&T) -> usize) {
        match written {
            Poll::Pending => self.blocked.store(true, Ordering::Relaxed),
            Poll::Ready(done) => {
                let count = done.as_ref().map_or(0, count);
                // Only the connection's own task writes, so nothing is lost between the two.
                self.written.store(self.written.load(Ordering::Relaxed) + count as u64, Ordering::Relaxed);
                self.blocked.store(false, Ordering::Relaxed);
            }
        }
    }
}

/// A connection whose writes are noted.
#[derive(Debug)]
pub(crate) struct Watched<S> {
    stream: S,
    progress: Arc<Progress>,
}

impl<S> Watched<S> {
    pub(crate) fn new(stream: S, progress: Arc<Progress>) -> Self {
        Self { stream, progress }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.progress.note(&written, |count| *count);
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.progress.note(&written, |count| *count);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // With TLS this is where bytes leave.
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        if flushed.is_pending() {
            self.progress.note(&flushed, |()| 0);
        }
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    const LIMIT: Duration = Duration::from_secs(60);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_found_out() {
        let (near, _far) = duplex(10);
        let progress = Arc::new(Progress::default());
        let mut watched = Watched::new(near, progress.clone());
        let begun = tokio::time::Instant::now();
        tokio::select! {
            _ = watched.write_all(&[0; 11]) => panic!("there was no room"),
            () = progress.stalled(LIMIT) => {}
        }
        assert!((LIMIT..=LIMIT * 2).contains(&begun.elapsed()), "{:?}", begun.elapsed());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_little_or_has_nothing_to_take_is_left_alone() {
        let (near, mut far) = duplex(10);
        let progress = Arc::new(Progress::default());
        let mut watched = Watched::new(near, progress.clone());
        let slow = async {
            for _ in 0..25 {
                tokio::time::sleep(LIMIT / 2).await;
                far.read_u8().await.unwrap();
            }
        };
        tokio::select! {
            written = watched.write_all(&[0; 30]) => written.unwrap(),
            () = slow => panic!("it was to be written by then"),
            () = progress.stalled(LIMIT) => panic!("it was slow, not stalled"),
        }
        let idle = tokio::time::timeout(LIMIT * 10, progress.stalled(LIMIT)).await;
        assert!(idle.is_err());
    }
}
