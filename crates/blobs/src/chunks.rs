//! The bytes of an object that is being read.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};

use crate::error::BlobError;
use crate::folder::FileChunks;
use crate::part::Part;

/// Bytes in chunks of any size, none of them empty.
pub struct Chunks(Source);

enum Source {
    File(FileChunks),
    Stream(BoxStream<'static, Result<Bytes, BlobError>>),
}

impl Chunks {
    pub(crate) fn of_file(chunks: FileChunks) -> Self {
        Self(Source::File(chunks))
    }

    pub(crate) fn of(stream: impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static) -> Self {
        Self(Source::Stream(stream.boxed()))
    }

    /// The next bytes for a socket. Bytes of a file that are in memory are not copied.
    pub fn poll_part(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Part, BlobError>>> {
        match &mut self.0 {
            Source::File(chunks) => chunks.poll_part(context).map_err(BlobError::from),
            Source::Stream(stream) => {
                stream.poll_next_unpin(context).map(|next| next.map(|bytes| bytes.map(Part::from)))
            }
        }
    }
}

impl Stream for Chunks {
    type Item = Result<Bytes, BlobError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match &mut self.0 {
            Source::File(chunks) => chunks.poll_next_unpin(context).map_err(BlobError::from),
            Source::Stream(stream) => stream.poll_next_unpin(context),
        }
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Chunks")
    }
}
