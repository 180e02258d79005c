//! Bytes to be written into a socket.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf as _, Bytes};
use tokio::io::AsyncWrite as _;
use tokio::net::TcpStream;

use crate::folder::InMemory;

/// Bytes that can be written into a socket. Those of a mapped file can be used for nothing else.
pub struct Part(InMemory);

impl Part {
    pub(crate) fn new(bytes: InMemory) -> Self {
        Self(bytes)
    }

    /// The number of bytes.
    pub fn len(&self) -> usize {
        match &self.0 {
            InMemory::Copied(bytes) => bytes.len(),
            InMemory::Mapped(part) => part.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Skips `count` bytes at the beginning, or all if there are fewer.
    pub fn advance(&mut self, count: usize) {
        match &mut self.0 {
            InMemory::Copied(bytes) => bytes.advance(count.min(bytes.len())),
            InMemory::Mapped(part) => part.advance(count),
        }
    }

    /// Writes `head` and then these bytes, as far as the socket takes them, in one system call. Returns how many bytes
    /// of both were written. Fails with EFAULT if a mapped file was truncated.
    pub fn poll_write_after(
        &self,
        head: &[u8],
        socket: &mut TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        let bytes = match &self.0 {
            InMemory::Copied(bytes) => &bytes[..],
            InMemory::Mapped(part) => part.for_the_kernel(),
        };
        Pin::new(socket).poll_write_vectored(context, &[IoSlice::new(head), IoSlice::new(bytes)])
    }
}

impl From<Bytes> for Part {
    fn from(bytes: Bytes) -> Self {
        Self(InMemory::Copied(bytes))
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("len", &self.len()).finish()
    }
}
