//! Fetching pieces from the store, or from the disk.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tonearm_domain::ObjectKey;
use tonearm_telemetry::Cache;

use super::CachedStore;
use super::piece::{Piece, Unfilled};
use super::piece_id::{PIECE_BYTES, PieceId, RUN};
use crate::chunks::Chunks;
use crate::error::BlobError;
use crate::object::ObjectMeta;
use crate::object_body::ObjectBody;

/// Attempts to fetch from the store before the waiting readers get the error.
const ATTEMPTS: usize = 2;

/// The timeout for the whole body of a response, as a multiple of the deadline for one chunk of it.
const WHOLE_BODY_FACTOR: u32 = 12;

/// Consecutive pieces to be filled in order. Dropping the run gives up those that are not filled.
pub(super) struct Run {
    cache: CachedStore,
    key: ObjectKey,
    meta: ObjectMeta,
    first: u64,
    pieces: Vec<Arc<Piece>>,
    /// The error for readers that wait for a piece that is not filled.
    failure: Unfilled,
}

impl CachedStore {
    /// A piece of an object, in memory or being fetched. Pieces after it, up to `end`, are fetched too.
    pub(super) fn piece(&self, key: &ObjectKey, meta: &ObjectMeta, index: u64, end: u64) -> Arc<Piece> {
        let (piece, is_new) = self.piece_or_fetch(key, meta, index, end);
        tonearm_telemetry::looked_up(Cache::MemoryPieces, !is_new);
        let next = index + 1;
        let wants_next = next * PIECE_BYTES < end && !self.is_overfull();
        if wants_next && !self.0.pieces.contains_key(&PieceId { key: key.clone(), index: next }) {
            drop(self.piece_or_fetch(key, meta, next, end));
        }
        piece
    }

    /// Whether pieces take more than twice the memory that the cache may use, because readers still hold evicted ones.
    pub(super) fn is_overfull(&self) -> bool {
        self.0.piece_memory.bytes() > self.0.memory_bytes.saturating_mul(2)
    }

    /// Starts to fetch pieces from `index` on, unless that piece is in memory or being fetched already. Returns the
    /// piece, and whether a fetch was started.
    fn piece_or_fetch(&self, key: &ObjectKey, meta: &ObjectMeta, index: u64, end: u64) -> (Arc<Piece>, bool) {
        let (piece, is_new) = self.claim(key, meta, index);
        if is_new {
            tokio::spawn(self.run(key, meta, index, piece.clone(), end).get());
        }
        (piece, is_new)
    }

    /// A piece, and whether the caller has to fill it.
    fn claim(&self, key: &ObjectKey, meta: &ObjectMeta, index: u64) -> (Arc<Piece>, bool) {
        let id = PieceId { key: key.clone(), index };
        if let Some(piece) = self.0.pieces.get(&id) {
            return (piece, false);
        }
        let size = id.size(meta);
        let entry =
            self.0.pieces.entry(id).or_insert_with(|| Arc::new(Piece::new(size, &self.0.piece_memory)));
        let is_new = entry.is_fresh();
        (entry.into_value(), is_new)
    }

    /// Fills the piece `first` of an object, and those after it, from a body that begins at that piece.
    pub(super) fn begin_run(&self, key: &ObjectKey, meta: &ObjectMeta, first: u64, body: ObjectBody) {
        let (piece, is_new) = self.claim(key, meta, first);
        if is_new {
            tokio::spawn(self.run(key, meta, first, piece, u64::MAX).fetch(Some(body)));
        }
    }

    /// A piece with those after it that are not in memory or being fetched yet, up to the length of a run or the first
    /// piece on disk.
    fn run(&self, key: &ObjectKey, meta: &ObjectMeta, first: u64, piece: Arc<Piece>, end: u64) -> Run {
        let on_disk = |index| {
            let id = PieceId { key: key.clone(), index };
            self.0.disk.as_ref().is_some_and(|disk| disk.has(&id))
        };
        let mut pieces = vec![piece];
        let last = end.min(meta.size).div_ceil(PIECE_BYTES).min(first + self.run_length());
        if !on_disk(first) {
            for index in first + 1..last {
                if on_disk(index) {
                    break;
                }
                match self.claim(key, meta, index) {
                    (piece, true) => pieces.push(piece),
                    (_, false) => break,
                }
            }
        }
        Run {
            cache: self.clone(),
            key: key.clone(),
            meta: *meta,
            first,
            pieces,
            failure: Unfilled::stopped(),
        }
    }

    /// The number of pieces of a run; fewer if memory is short.
    fn run_length(&self) -> u64 {
        match self.is_overfull() {
            true => 1,
            false => (self.0.memory_bytes / PIECE_BYTES / 2).clamp(1, RUN),
        }
    }
}

impl Run {
    /// Fills the pieces from the disk or from the store.
    async fn get(mut self) {
        // The disk is read without a permit, so that its pieces are served even while fetches hang. The first piece may
        // have reached the disk only after the pieces behind it were claimed.
        if !self.take_from_disk().await || self.pieces.len() > 1 {
            self.fetch(None).await;
        }
    }

    /// Waits until there is memory for the pieces of this run.
    async fn fetch_permit(&self) -> Option<OwnedSemaphorePermit> {
        let permits = self.cache.0.fetch_permits.clone();
        // The semaphore is never closed. If it were, the fetch would run without a permit.
        permits.acquire_many_owned(u32::try_from(self.pieces.len()).unwrap_or(1)).await.ok()
    }

    async fn take_from_disk(&mut self) -> bool {
        let Some(disk) = &self.cache.0.disk else { return false };
        let read = timeout(self.cache.0.deadline, disk.read(&self.id(0))).await;
        tonearm_telemetry::looked_up(Cache::DiskPieces, matches!(read, Ok(Some(_))));
        match read {
            Ok(Some(bytes)) => self.pieces[0].add(bytes),
            Ok(None) => return false,
            Err(_) => {
                tracing::warn!(key = %self.key, "the disk of the cache does not respond in time");
                return false;
            }
        }
        true
    }

    /// Fetches the missing bytes, and retries once for those that are still missing then. All readers of these pieces
    /// wait for this.
    async fn fetch(mut self, mut begun: Option<ObjectBody>) {
        let _permit = self.fetch_permit().await;
        for _ in 0..ATTEMPTS {
            let whole = self.cache.0.deadline * WHOLE_BODY_FACTOR;
            let attempt = timeout(whole, self.attempt(begun.take())).await;
            match attempt.unwrap_or_else(|_| Err(Unfilled::timed_out(whole))) {
                Ok(()) => return,
                Err(Unfilled::Gone) => {
                    self.cache.forget(&self.key);
                    self.failure = Unfilled::Gone;
                    return;
                }
                Err(failure) => {
                    tracing::debug!(key = %self.key, ?failure, "could not fetch a piece of an object");
                    self.failure = failure;
                }
            }
        }
    }

    async fn attempt(&self, begun: Option<ObjectBody>) -> Result<(), Unfilled> {
        let missing = self.missing();
        let body = match begun {
            Some(body) => body,
            None => self.open(missing.clone()).await?,
        };
        if body.meta != self.meta {
            // The object was replaced. The next reader begins with the new one.
            self.cache.forget(&self.key);
            return Err(Unfilled::failed(BlobError::Corrupt));
        }
        if body.range.start != missing.start {
            return Err(Unfilled::failed(BlobError::Corrupt));
        }
        self.fill(body).await
    }

    async fn open(&self, range: Range<u64>) -> Result<ObjectBody, Unfilled> {
        let deadline = self.cache.0.deadline;
        match timeout(deadline, self.cache.0.store.get(&self.key, Some(range))).await {
            Ok(Ok(Some(body))) => Ok(body),
            Ok(Ok(None)) => Err(Unfilled::Gone),
            Ok(Err(error)) => Err(Unfilled::failed(error)),
            Err(_) => Err(Unfilled::timed_out(deadline)),
        }
    }

    /// The range of the object that this run still has to fetch.
    fn missing(&self) -> Range<u64> {
        let here: u64 = self.pieces.iter().map(|piece| piece.arrived()).sum();
        let size: u64 = self.pieces.iter().map(|piece| piece.size()).sum();
        let begin = self.first * PIECE_BYTES;
        begin + here..begin + size
    }

    /// Fills the pieces from a body.
    async fn fill(&self, mut body: ObjectBody) -> Result<(), Unfilled> {
        let mut chunk = Bytes::new();
        for (at, piece) in self.pieces.iter().enumerate() {
            let mut missing = piece.size() - piece.arrived();
            if missing == 0 {
                continue;
            }
            while missing > 0 {
                if chunk.is_empty() {
                    chunk = self.next(&mut body.stream).await?;
                }
                let part = chunk.split_to(chunk.len().min(missing as usize));
                missing -= part.len() as u64;
                piece.add(part);
                // Lets waiting readers continue before more is read.
                tokio::task::yield_now().await;
            }
            self.write_to_disk(at);
        }
        Ok(())
    }

    async fn next(&self, chunks: &mut Chunks) -> Result<Bytes, Unfilled> {
        let deadline = self.cache.0.deadline;
        match timeout(deadline, chunks.next()).await {
            Ok(Some(Ok(chunk))) => Ok(chunk),
            Ok(Some(Err(error))) => Err(Unfilled::failed(error)),
            Ok(None) => Err(Unfilled::failed(BlobError::Corrupt)),
            Err(_) => Err(Unfilled::timed_out(deadline)),
        }
    }

    fn write_to_disk(&self, at: usize) {
        if let (Some(disk), Some(bytes)) = (&self.cache.0.disk, self.pieces[at].whole()) {
            let (cache, key, meta) = (self.cache.clone(), self.key.clone(), self.meta);
            disk.keep(self.id(at), meta, bytes, move || cache.0.known.get(&key) == Some(meta));
        }
    }

    fn id(&self, at: usize) -> PieceId {
        PieceId { key: self.key.clone(), index: self.first + at as u64 }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        for (at, piece) in self.pieces.iter().enumerate() {
            if piece.whole().is_none() {
                self.cache.0.pieces.invalidate(&self.id(at));
                piece.give_up(self.failure.clone());
            }
        }
    }
}
