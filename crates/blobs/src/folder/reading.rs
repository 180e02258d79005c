//! Reading a file in chunks, off the reactor.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt};
use tokio::task::spawn_blocking;

/// Large enough that a switch to a blocking thread costs little, small enough to wait for.
const CHUNK: u64 = 256 * 1024;
/// One chunk is read ahead while the one before it is being sent.
const READ_AT_ONCE: usize = 2;

/// The bytes of a range that lies inside the file. A file that turns out shorter fails with `UnexpectedEof`.
pub(crate) fn file_chunks(file: File, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
    let file = Arc::new(file);
    let mut next = range.start;
    let chunks = std::iter::from_fn(move || {
        let size = CHUNK.min(range.end.saturating_sub(next));
        let at = next;
        next += size;
        (size > 0).then_some((at, size))
    });
    futures::stream::iter(chunks)
        .map(move |(at, size)| {
            let file = Arc::clone(&file);
            spawn_blocking(move || read(&file, at, size as usize))
                .map(|joined| joined.unwrap_or_else(|error| Err(io::Error::other(error))))
        })
        .buffered(READ_AT_ONCE)
        .boxed()
}

fn read(file: &File, at: u64, size: usize) -> io::Result<Bytes> {
    let mut buffer = vec![0; size];
    file.read_exact_at(&mut buffer, at)?;
    Ok(buffer.into())
}
