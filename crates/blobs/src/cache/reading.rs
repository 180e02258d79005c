//! Reading an object through the cache.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures::{Stream, stream};
use tonearm_domain::ObjectKey;
use tonearm_telemetry::Cache as CacheName;

use super::CachedStore;
use super::known_objects::shared_error;
use super::piece::{Piece, Unfilled};
use super::piece_id::{PIECE_BYTES, PieceId};
use crate::chunks::Chunks;
use crate::error::BlobError;
use crate::object::{ObjectMeta, clamp};
use crate::object_body::ObjectBody;

/// Bytes given at once, so that a slow reader does not keep more from being counted as sent.
const CHUNK: usize = 64 * 1024;

impl CachedStore {
    /// A range of an object, or all of it; `None` if the object does not exist. Waits for the first bytes.
    pub(super) async fn get_range(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        let start = range.as_ref().map_or(0, |range| range.start);
        let Some(meta) = self.get_meta(key, start).await.into_meta()? else { return Ok(None) };
        let range = clamp(range, meta.size);
        let mut reader = Reader::new(self.clone(), key.clone(), meta, range.clone());
        if !reader.begin().await? {
            return Ok(None);
        }
        Ok(Some(ObjectBody { meta, range, stream: Chunks::of(reader.stream()) }))
    }

    /// The bytes of a range that lies inside the object, if the first of them are in memory.
    pub(super) fn read(&self, key: &ObjectKey, meta: ObjectMeta, range: Range<u64>) -> Option<Chunks> {
        if !range.is_empty() {
            let id = PieceId { key: key.clone(), index: range.start / PIECE_BYTES };
            self.0.pieces.get(&id)?.whole()?;
            tonearm_telemetry::looked_up(CacheName::MemoryPieces, true);
        }
        Some(Chunks::of(Reader::new(self.clone(), key.clone(), meta, range).stream()))
    }
}

/// The part of an object that is still to be read.
struct Reader {
    cache: CachedStore,
    key: ObjectKey,
    meta: ObjectMeta,
    left: Range<u64>,
    /// The piece that holds the next byte, once it was requested.
    current: Option<Arc<Piece>>,
}

impl Reader {
    fn new(cache: CachedStore, key: ObjectKey, meta: ObjectMeta, range: Range<u64>) -> Self {
        Self { cache, key, meta, left: range, current: None }
    }

    /// Waits for the first bytes, so that a failure of the store can still be reported to the client. Returns false if
    /// the object does not exist.
    async fn begin(&mut self) -> Result<bool, BlobError> {
        if self.left.is_empty() {
            return Ok(true);
        }
        match self.bytes().await {
            Ok(_) => Ok(true),
            Err(Unfilled::Gone) => Ok(false),
            Err(Unfilled::Failed(error)) => Err(shared_error(error)),
        }
    }

    fn stream(self) -> impl Stream<Item = Result<Bytes, BlobError>> + Send + 'static {
        stream::unfold(self, |mut reader| async move {
            let next = reader.next().await;
            // The stream ends after an error.
            if matches!(next, Some(Err(_))) {
                reader.left.start = reader.left.end;
            }
            next.map(|chunk| (chunk, reader))
        })
    }

    async fn next(&mut self) -> Option<Result<Bytes, BlobError>> {
        if self.left.is_empty() {
            return None;
        }
        let mut bytes = match self.bytes().await {
            Ok(bytes) => bytes,
            // It was deleted while it was being read.
            Err(Unfilled::Gone) => return Some(Err(BlobError::Corrupt)),
            Err(Unfilled::Failed(error)) => return Some(Err(shared_error(error))),
        };
        let left = usize::try_from(self.left.end - self.left.start).unwrap_or(usize::MAX);
        bytes.truncate(left.min(CHUNK));
        self.left.start += bytes.len() as u64;
        if self.left.start.is_multiple_of(PIECE_BYTES) {
            self.current = None;
        }
        if self.cache.is_overfull() {
            // A slow reader then holds only this chunk, not the whole piece.
            self.current = None;
            bytes = Bytes::copy_from_slice(&bytes);
        }
        Some(Ok(bytes))
    }

    /// Some bytes from the current position on, as soon as there are any.
    async fn bytes(&mut self) -> Result<Bytes, Unfilled> {
        let (index, place) = (self.left.start / PIECE_BYTES, self.left.start % PIECE_BYTES);
        let piece = match &self.current {
            Some(piece) => piece,
            None => self.current.insert(self.cache.piece(&self.key, &self.meta, index, self.left.end)),
        };
        piece.bytes_from(place).await
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures::StreamExt;

    use super::*;
    use crate::cache::CacheTerms;
    use crate::error::BoxError;
    use crate::folder::{FolderStore, Root};
    use crate::object::PutTerms;
    use crate::store::Store;

    const MEMORY: u64 = 1 << 20;
    const READERS: u64 = 40;

    #[tokio::test]
    async fn slow_readers_do_not_hold_whole_pieces() {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(FolderStore::of(Root::at(folder.path().to_owned())));
        store.create().await.unwrap();
        let long = Duration::from_secs(3600);
        let terms = CacheTerms {
            memory_bytes: MEMORY,
            disk: None,
            recheck: long,
            recheck_all: long,
            deadline: Duration::from_secs(10),
        };
        let cache = CachedStore::open(store.clone(), terms).await.unwrap();
        let mut slow = Vec::new();
        for number in 0..READERS {
            let name = format!("018f0000-0000-7000-8000-{number:012x}/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3");
            let key: ObjectKey = name.parse().unwrap();
            let piece = Bytes::from(vec![7; PIECE_BYTES as usize]);
            let body = stream::iter([Ok::<_, BoxError>(piece)]).boxed();
            store.put(&key, body, PutTerms::default()).await.unwrap();
            let mut chunks = cache.deliver(&key, None).await.unwrap().unwrap().stream;
            let chunk = chunks.next().await.unwrap().unwrap();
            slow.push((chunks, chunk));
        }
        // What is kept, what was held before memory became short, and a piece at its border. Evictions take a moment.
        let most = 3 * MEMORY + PIECE_BYTES;
        for _ in 0..1000 {
            cache.0.pieces.run_pending_tasks();
            if cache.0.piece_memory.bytes() <= most {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("{} bytes are held", cache.0.piece_memory.bytes());
    }
}
