//! Reading a file in chunks: at once what is in memory, on a thread of its own what the disk has to be asked for.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::Stream;
use tokio::task::{JoinHandle, spawn_blocking};

use super::open_file::OpenFile;
use crate::object::Reading;

/// Bytes copied at once: enough that a switch to a blocking thread costs little, few enough that many readers who
/// take their time do not hold much memory.
const COPIED_CHUNK: u64 = 64 * 1024;
/// Bytes of a mapped file at once: they take no memory, but a connection that sends them keeps others waiting.
const MAPPED_CHUNK: u64 = 512 * 1024;
/// The same for the first ones, so that a client has something while the rest is on its way.
const FIRST_MAPPED_CHUNK: u64 = 64 * 1024;

/// The bytes of a range that lies inside the file. A file that turns out shorter fails with `UnexpectedEof`.
pub(crate) struct FileChunks {
    file: Arc<OpenFile>,
    left: Range<u64>,
    reading: Reading,
    is_begun: bool,
    /// What the disk is being asked for, and how much of it.
    pending: Option<(JoinHandle<io::Result<Bytes>>, u64)>,
}

impl FileChunks {
    pub(crate) fn new(file: Arc<OpenFile>, range: Range<u64>, reading: Reading) -> Self {
        Self { file, left: range, reading, is_begun: false, pending: None }
    }

    /// The next bytes if they are in memory.
    fn at_once(&self) -> Option<Bytes> {
        match self.reading {
            Reading::Mapped if !self.is_begun => self.file.mapped(self.next(FIRST_MAPPED_CHUNK)),
            Reading::Mapped => self.file.mapped(self.next(MAPPED_CHUNK)),
            Reading::Copied => self.file.copied(self.next(COPIED_CHUNK)),
        }
    }

    fn next(&self, most: u64) -> Range<u64> {
        self.left.start..self.left.end.min(self.left.start.saturating_add(most))
    }
}

impl Stream for FileChunks {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.left.is_empty() {
            return Poll::Ready(None);
        }
        if self.pending.is_none() {
            if let Some(bytes) = self.at_once() {
                self.left.start += bytes.len() as u64;
                self.is_begun = true;
                return Poll::Ready(Some(Ok(bytes)));
            }
            let (file, range) = (Arc::clone(&self.file), self.next(COPIED_CHUNK));
            let size = range.end - range.start;
            self.pending = Some((spawn_blocking(move || file.read(range)), size));
        }
        let Some((reading, size)) = &mut self.pending else { return Poll::Ready(None) };
        let (joined, size) = (ready!(Pin::new(reading).poll(context)), *size);
        self.pending = None;
        self.is_begun = true;
        let read = joined.unwrap_or_else(|error| Err(io::Error::other(error)));
        // After an error there is nothing more.
        self.left.start = if read.is_ok() { self.left.start + size } else { self.left.end };
        Poll::Ready(Some(read))
    }
}
