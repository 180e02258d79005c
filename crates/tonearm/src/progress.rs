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

/// How long clients may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// Until a request's head is there.
    pub(crate) head: Duration,
    /// While nothing of an answer is taken.
    pub(crate) send: Duration,
}

/// What goes on over a connection. Cheap to keep: each write costs a store or two, and no timer is touched.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    written: AtomicU64,
    blocked: AtomicBool,
    /// Heads that were waited for.
    heads: AtomicU64,
    waits_for_head: AtomicBool,
    closing: AtomicBool,
}

impl Progress {
    /// Ends when the client has taken nothing, or said nothing, for as long as it may or a quarter longer, although
    /// there was something to take or to say.
    pub(crate) async fn given_up(&self, patience: Patience) {
        let tick = patience.head.min(patience.send) / LOOKS;
        let (mut taken, mut heard) = (Quiet::default(), Quiet::default());
        loop {
            tokio::time::sleep(tick).await;
            taken.look(self.written.load(Ordering::Relaxed), self.blocked.load(Ordering::Relaxed), tick);
            heard.look(self.heads.load(Ordering::Relaxed), self.waits_for_head(), tick);
            if taken.lasted >= patience.send || heard.lasted >= patience.head {
                return;
            }
        }
    }

    /// Ends once `stopped` has and no request is being answered; the one that is, is the last.
    pub(crate) async fn idle_after(&self, stopped: impl Future<Output = ()>) {
        stopped.await;
        self.closing.store(true, Ordering::Relaxed);
        if !self.waits_for_head() {
            std::future::pending().await
        }
    }

    /// A request may come.
    pub(crate) fn await_head(&self) {
        self.heads.store(self.heads.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        self.waits_for_head.store(true, Ordering::Relaxed);
    }

    /// A request has come.
    pub(crate) fn begin_answer(&self) {
        self.waits_for_head.store(false, Ordering::Relaxed);
    }

    /// Whether no more requests are to be answered.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed)
    }

    fn waits_for_head(&self) -> bool {
        self.waits_for_head.load(Ordering::Relaxed)
    }

    /// Bytes were taken.
    pub(crate) fn advance(&self, bytes: usize) {
        // Only the connection's own task writes, so nothing is lost between the two.
        self.written.store(self.written.load(Ordering::Relaxed) + bytes as u64, Ordering::Relaxed);
        self.blocked.store(false, Ordering::Relaxed);
    }

    /// There is something to take, and nobody takes it.
    pub(crate) fn block(&self) {
        self.blocked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn note<T>(&self, written: &Poll<io::Result<T>>, count: impl Fn(&T) -> usize) {
        match written {
            Poll::Pending => self.block(),
            Poll::Ready(done) => self.advance(done.as_ref().map_or(0, count)),
        }
    }
}

/// For how long nothing has changed.
#[derive(Debug, Default)]
struct Quiet {
    seen: u64,
    lasted: Duration,
}

impl Quiet {
    fn look(&mut self, count: u64, waits: bool, since: Duration) {
        self.lasted = if waits && count == self.seen { self.lasted + since } else { Duration::ZERO };
        self.seen = count;
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

    const PATIENCE: Patience = Patience { head: LIMIT, send: LIMIT };

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_found_out() {
        let (near, _far) = duplex(10);
        let progress = Arc::new(Progress::default());
        let mut watched = Watched::new(near, progress.clone());
        let begun = tokio::time::Instant::now();
        tokio::select! {
            _ = watched.write_all(&[0; 11]) => panic!("there was no room"),
            () = progress.given_up(PATIENCE) => {}
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
            () = progress.given_up(PATIENCE) => panic!("it was slow, not stalled"),
        }
        let idle = tokio::time::timeout(LIMIT * 10, progress.given_up(PATIENCE)).await;
        assert!(idle.is_err());
    }
}
