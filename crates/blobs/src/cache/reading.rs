//! Reading an object through the cache.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use tonearm_domain::ObjectKey;

use super::piece::Piece;
use super::{CachedStore, PIECE_BYTES};
use crate::{BlobError, Chunks, ObjectMeta};

/// Bytes given at once, so that a slow reader does not keep more from being counted as sent.
const CHUNK: usize = 64 * 1024;

/// What is left to read of an object.
pub(super) struct Reader {
    cache: CachedStore,
    key: ObjectKey,
    meta: ObjectMeta,
    left: Range<u64>,
    /// The piece that holds the next byte, once it was asked for.
    current: Option<Arc<Piece>>,
    /// The rest, past the cache.
    direct: Option<Chunks>,
}

impl Reader {
    pub(super) fn new(cache: CachedStore, key: ObjectKey, meta: ObjectMeta, range: Range<u64>) -> Self {
        Self { cache, key, meta, left: range, current: None, direct: None }
    }

    /// Waits until there is something to send, so that a store that is away can still be told; false where the object
    /// is gone.
    pub(super) async fn begin(&mut self) -> Result<bool, BlobError> {
        if self.left.is_empty() {
            return Ok(true);
        }
        let place = self.left.start % PIECE_BYTES;
        match self.piece() {
            Some(piece) if piece.bytes_from(place).await.is_ok() => Ok(true),
            _ => self.go_direct().await,
        }
    }

    pub(super) fn stream(self) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
        stream::unfold(self, |mut reader| async move {
            let next = reader.next().await;
            // After an error there is nothing more.
            if matches!(next, Some(Err(_))) {
                reader.left.start = reader.left.end;
                reader.direct = None;
            }
            next.map(|chunk| (chunk, reader))
        })
    }

    async fn next(&mut self) -> Option<Result<Bytes, BlobError>> {
        if let Some(direct) = &mut self.direct {
            return direct.next().await;
        }
        if self.left.is_empty() {
            return None;
        }
        let place = self.left.start % PIECE_BYTES;
        let bytes = match self.piece() {
            Some(piece) => piece.bytes_from(place).await.ok(),
            None => None,
        };
        let Some(mut bytes) = bytes else {
            return match self.go_direct().await {
                Ok(true) => self.direct.as_mut()?.next().await,
                // It was deleted between two of its bytes.
                Ok(false) => Some(Err(BlobError::Corrupt)),
                Err(error) => Some(Err(error)),
            };
        };
        let left = usize::try_from(self.left.end - self.left.start).unwrap_or(usize::MAX);
        bytes.truncate(left.min(CHUNK));
        self.left.start += bytes.len() as u64;
        if self.left.start.is_multiple_of(PIECE_BYTES) {
            self.current = None;
        }
        Some(Ok(bytes))
    }

    /// The piece of the next byte; `None` where the cache has no room for it.
    fn piece(&mut self) -> Option<Arc<Piece>> {
        if self.current.is_none() {
            let index = self.left.start / PIECE_BYTES;
            self.current = self.cache.piece(&self.key, &self.meta, index, self.left.end);
        }
        self.current.clone()
    }

    /// Reads the rest straight from the store; false where the object is gone.
    async fn go_direct(&mut self) -> Result<bool, BlobError> {
        self.current = None;
        let body = self.cache.0.store.get(&self.key, Some(self.left.clone())).await?;
        match body {
            Some(body) => self.direct = Some(body.stream),
            None => self.cache.forget(&self.key),
        }
        Ok(self.direct.is_some())
    }
}
