//! A connection of which some bytes have already been read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Returns bytes that were read before, then those of the connection.
#[derive(Debug)]
pub(crate) struct PrefixedStream<S> {
    before: Bytes,
    stream: S,
}

impl<S> PrefixedStream<S> {
    pub(crate) fn new(before: Bytes, stream: S) -> Self {
        Self { before, stream }
    }

    /// Whether the bytes that were read before start with `bytes`.
    pub(crate) fn starts_with(&self, bytes: &[u8]) -> bool {
        self.before.starts_with(bytes)
    }

    pub(crate) fn get_ref(&self) -> &S {
        &self.stream
    }

    /// The rest of the bytes that were read before, and the connection.
    pub(crate) fn into_parts(self) -> (Bytes, S) {
        (self.before, self.stream)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for PrefixedStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.before.is_empty() {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        let length = self.before.len().min(buffer.remaining());
        buffer.put_slice(&self.before[..length]);
        self.before.advance(length);
        if self.before.is_empty() {
            self.before = Bytes::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefixedStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    #[tokio::test]
    async fn what_was_read_before_comes_first_whatever_the_buffer() {
        for size in 1..9 {
            let mut rewound = PrefixedStream::new(Bytes::from_static(b"before "), &b"and after"[..]);
            let (mut all, mut buffer) = (Vec::new(), vec![0; size]);
            loop {
                match rewound.read(&mut buffer).await.unwrap() {
                    0 => break,
                    read => all.extend_from_slice(&buffer[..read]),
                }
            }
            assert_eq!(all, b"before and after");
        }
    }
}
