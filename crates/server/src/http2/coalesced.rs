//! Combines HTTP/2 frames into few writes.
//!
//! `h2` writes and flushes each frame separately. A frame of 16 KiB does not fit into a TLS record together with its
//! head, so each would cost two records and two system calls. Here frames are gathered, and the driver of the
//! connection writes them when no more can be added.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes gathered before a write is due: with more, they have left the processor's caches by then.
pub(crate) const GATHERED_BYTES: usize = 64 * 1024;

/// A connection whose writes are gathered. Clones share the connection: one is for `h2`, the other for the driver of
/// the connection.
pub(super) struct Coalesced<S>(Arc<Mutex<Inner<S>>>);

struct Inner<S> {
    stream: S,
    gathered: Vec<u8>,
    /// How many of the gathered bytes are written.
    written: usize,
    /// `h2` has a frame for which there was no room.
    was_refused: bool,
}

impl<S> Clone for Coalesced<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Coalesced<S> {
    pub(super) fn new(stream: S) -> Self {
        Self(Arc::new(Mutex::new(Inner { stream, gathered: Vec::new(), written: 0, was_refused: false })))
    }

    /// Frees the memory of the gathered bytes, if they are all written.
    pub(super) fn release(&self) {
        let mut inner = self.lock();
        if inner.gathered.is_empty() && inner.gathered.capacity() > 0 {
            inner.gathered = Vec::new();
        }
    }

    /// Whether there was no room for the last write.
    pub(super) fn was_refused(&self) -> bool {
        self.lock().was_refused
    }

    fn lock(&self) -> MutexGuard<'_, Inner<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<S: AsyncWrite + Unpin> Coalesced<S> {
    /// Writes the gathered bytes.
    pub(super) fn poll_drain(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.lock().poll_drain(context)
    }
}

impl<S: AsyncWrite + Unpin> Inner<S> {
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.gathered.is_empty() {
            return Poll::Ready(Ok(()));
        }
        while self.written < self.gathered.len() {
            let left = &self.gathered[self.written..];
            match ready!(Pin::new(&mut self.stream).poll_write(context, left))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.written += count,
            }
        }
        ready!(Pin::new(&mut self.stream).poll_flush(context))?;
        self.gathered.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }

    /// Waits for room, and returns how many bytes fit. There is none while the buffer is full and the socket accepts
    /// nothing.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if self.gathered.len() >= GATHERED_BYTES {
            ready!(self.poll_drain(context))?;
        }
        Poll::Ready(Ok(GATHERED_BYTES - self.gathered.len()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Coalesced<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.lock().stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Coalesced<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut inner = self.lock();
        let room = inner.poll_room(context);
        inner.was_refused = room.is_pending();
        let room = ready!(room)?;
        let mut left = room;
        for slice in slices {
            let taken = slice.len().min(left);
            inner.gathered.extend_from_slice(&slice[..taken]);
            left -= taken;
        }
        Poll::Ready(Ok(room - left))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    /// Writes nothing: the driver of the connection does that at the end of each poll.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut inner = self.lock();
        ready!(inner.poll_drain(context))?;
        Pin::new(&mut inner.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn nothing_leaves_before_it_is_drained() {
        let (near, mut far) = duplex(1 << 20);
        let mut coalesced = Coalesced::new(near);
        coalesced.write_all(b"one ").await.unwrap();
        coalesced.flush().await.unwrap();
        coalesced.write_all(b"two").await.unwrap();
        let context = &mut Context::from_waker(Waker::noop());
        let mut seen = [0; 7];
        assert!(std::pin::pin!(far.read_exact(&mut seen)).poll(context).is_pending());
        std::future::poll_fn(|context| coalesced.poll_drain(context)).await.unwrap();
        far.read_exact(&mut seen).await.unwrap();
        assert_eq!(&seen, b"one two");
        coalesced.release();
        assert_eq!(coalesced.lock().gathered.capacity(), 0);
    }

    #[tokio::test]
    async fn no_more_is_gathered_than_fits_while_nobody_reads() {
        let (near, mut far) = duplex(1000);
        let mut coalesced = Coalesced::new(near);
        let sent: Vec<u8> = (0..3 * GATHERED_BYTES).map(|at| (at % 251) as u8).collect();
        let context = &mut Context::from_waker(Waker::noop());
        let mut taken = 0;
        while let Poll::Ready(count) = Pin::new(&mut coalesced).poll_write(context, &sent[taken..]) {
            taken += count.unwrap();
        }
        assert_eq!(taken, GATHERED_BYTES);
        let reading = tokio::spawn(async move {
            let mut read = Vec::new();
            far.read_to_end(&mut read).await.unwrap();
            read
        });
        coalesced.write_all(&sent[taken..]).await.unwrap();
        coalesced.shutdown().await.unwrap();
        drop(coalesced);
        assert!(reading.await.unwrap() == sent);
    }
}
