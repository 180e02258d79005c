//! Reads a file in chunks: bytes that are in memory at once, all others on a blocking thread.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::Stream;
use tokio::task::{JoinHandle, spawn_blocking};

use super::open_file::OpenFile;
use crate::part::Part;

/// Bytes copied at once: enough that a switch to a blocking thread costs little, few enough that many slow readers do
/// not hold much memory.
const COPIED_CHUNK: u64 = 64 * 1024;
/// Bytes of a mapped file sent at once: they take no memory, but a connection that sends them keeps others waiting.
const MAPPED_CHUNK: u64 = 512 * 1024;
/// The same for the first chunk, so that a client gets the first bytes early.
const FIRST_MAPPED_CHUNK: u64 = 64 * 1024;

/// The bytes of a range that lies inside the file. A file that turns out shorter fails with `UnexpectedEof`.
pub(crate) struct FileChunks {
    file: Arc<OpenFile>,
    left: Range<u64>,
    is_begun: bool,
    /// The read from the disk that is running, and its size in bytes.
    pending: Option<(JoinHandle<io::Result<Bytes>>, u64)>,
}

impl FileChunks {
    pub(crate) fn new(file: Arc<OpenFile>, range: Range<u64>) -> Self {
        Self { file, left: range, is_begun: false, pending: None }
    }

    /// The next bytes for a socket: of the mapped file, if they are in memory.
    pub(crate) fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Part>>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        if self.pending.is_none() {
            let most = if self.is_begun { MAPPED_CHUNK } else { FIRST_MAPPED_CHUNK };
            if let Some(part) = self.file.in_memory(self.next(most)).map(Part::new) {
                self.pass(part.len());
                return Poll::Ready(Some(Ok(part)));
            }
        }
        self.poll_read(context).map(|read| read.map(|read| read.map(Part::from)))
    }

    /// Reads from the disk on a blocking thread.
    fn poll_read(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let (file, range) = (&self.file, self.next(COPIED_CHUNK));
        let (reading, size) = self.pending.get_or_insert_with(|| {
            let (file, size) = (Arc::clone(file), range.end - range.start);
            (spawn_blocking(move || file.read(range)), size)
        });
        let (joined, size) = (ready!(Pin::new(reading).poll(context)), *size);
        self.pending = None;
        self.is_begun = true;
        let read = joined.unwrap_or_else(|error| Err(io::Error::other(error)));
        // The stream ends after an error.
        self.left.start = if read.is_ok() { self.left.start + size } else { self.left.end };
        Poll::Ready(Some(read))
    }

    fn next(&self, most: u64) -> Range<u64> {
        self.left.start..self.left.end.min(self.left.start.saturating_add(most))
    }

    fn pass(&mut self, count: usize) {
        self.left.start += count as u64;
        self.is_begun = true;
    }
}

impl Stream for FileChunks {
    type Item = io::Result<Bytes>;

    /// The next bytes, copied.
    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        if self.pending.is_none()
            && let Some(bytes) = self.file.copied(self.next(COPIED_CHUNK))
        {
            self.pass(bytes.len());
            return Poll::Ready(Some(Ok(bytes)));
        }
        self.poll_read(context)
    }
}
