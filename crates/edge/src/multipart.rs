//! The body of a response with several ranges: `multipart/byteranges` (RFC 9110 section 14.6).

use std::ops::Range;

use bytes::Bytes;
use futures::{Stream, StreamExt, TryStreamExt, stream};
use http::HeaderValue;
use tonearm_blobs::{BlobError, Blobs};
use tonearm_domain::ObjectKey;

use crate::response::content_range;

/// The plan of a `multipart/byteranges` body.
#[derive(Debug)]
pub(crate) struct Multipart {
    boundary: String,
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    head: Bytes,
    range: Range<u64>,
}

/// Why a body ends before its last part.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PartError {
    /// The object was deleted between two parts.
    #[error("the object was deleted while it was being sent")]
    Gone,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] BlobError),
}

impl Multipart {
    /// Plans the body. The boundary is made of random bytes, so that the object cannot contain it.
    pub(crate) fn plan(key: &ObjectKey, ranges: Vec<Range<u64>>, size: u64, random: [u8; 16]) -> Self {
        let boundary = format!("{:032x}", u128::from_be_bytes(random));
        let mime = key.file.content_type.mime();
        let part = |(index, range): (usize, Range<u64>)| {
            let line_end = if index == 0 { "" } else { "\r\n" };
            let content_range = content_range(&range, size);
            let head = format!(
                "{line_end}--{boundary}\r\nContent-Type: {mime}\r\nContent-Range: {content_range}\r\n\r\n"
            );
            Part { head: head.into(), range }
        };
        let parts = ranges.into_iter().enumerate().map(part).collect();
        Self { boundary, parts }
    }

    /// The value of `Content-Type`.
    pub(crate) fn content_type(&self) -> HeaderValue {
        HeaderValue::try_from(format!("multipart/byteranges; boundary={}", self.boundary))
            .expect("hex digits are ASCII")
    }

    /// Bytes of the whole body.
    pub(crate) fn length(&self) -> u64 {
        let part = |part: &Part| part.head.len() as u64 + (part.range.end - part.range.start);
        self.parts.iter().map(part).sum::<u64>() + self.closing().len() as u64
    }

    /// The parts, each with the length of what precedes it.
    pub(crate) fn parts(&self) -> Vec<(u64, Range<u64>)> {
        self.parts.iter().map(|part| (part.head.len() as u64, part.range.clone())).collect()
    }

    /// The body. Each part is opened when the previous one has been read.
    pub(crate) fn stream(
        self,
        blobs: Blobs,
        key: ObjectKey,
    ) -> impl Stream<Item = Result<Bytes, PartError>> + Send + 'static {
        let closing = self.closing();
        stream::iter(self.parts)
            .then(move |part| {
                let (blobs, key) = (blobs.clone(), key.clone());
                async move {
                    let body = blobs.deliver(&key, Some(part.range)).await?.ok_or(PartError::Gone)?;
                    let bytes = body.stream.map_err(PartError::from);
                    Ok::<_, PartError>(stream::iter([Ok(part.head)]).chain(bytes))
                }
            })
            .try_flatten()
            .chain(stream::iter([Ok(closing)]))
    }

    fn closing(&self) -> Bytes {
        format!("\r\n--{}--\r\n", self.boundary).into()
    }
}
