//! Fetching pieces from the store, or from the disk.

use std::sync::Arc;

use futures::StreamExt;
use tonearm_domain::ObjectKey;

use super::known::Asked;
use super::piece::Piece;
use super::{CachedStore, PIECE_BYTES, PieceId};
use crate::{Chunks, ObjectMeta};

/// Pieces fetched by one request.
const RUN: u64 = 4;

/// Pieces to be filled one after another; those that are never filled are given up.
struct Run {
    cache: CachedStore,
    key: ObjectKey,
    meta: ObjectMeta,
    first: u64,
    pieces: Vec<Arc<Piece>>,
}

impl CachedStore {
    /// What is known of an object; the store is asked where nothing is, and the pieces from `start` on are then
    /// fetched along.
    pub(super) async fn meta(&self, key: &ObjectKey, start: u64) -> Asked {
        match self.0.known.get(key) {
            Some(meta) => Asked::Found(meta),
            None => self.0.asking.ask(key, self.ask(key, start)).await,
        }
    }

    /// The same, with nothing fetched along.
    pub(super) async fn meta_alone(&self, key: &ObjectKey) -> Asked {
        let ask = async {
            if let Some(meta) = self.0.known.get(key) {
                return Asked::Found(meta);
            }
            match self.0.store.head(key).await {
                Ok(Some(meta)) => {
                    self.0.known.keep(key, meta);
                    Asked::Found(meta)
                }
                Ok(None) => Asked::Missing,
                Err(error) => Asked::Failed(Arc::new(error)),
            }
        };
        match self.0.known.get(key) {
            Some(meta) => Asked::Found(meta),
            None => self.0.asking.ask(key, ask).await,
        }
    }

    async fn ask(&self, key: &ObjectKey, start: u64) -> Asked {
        // Whoever asked before may have been answered meanwhile.
        if let Some(meta) = self.0.known.get(key) {
            return Asked::Found(meta);
        }
        let first = start / PIECE_BYTES;
        let begin = first.saturating_mul(PIECE_BYTES);
        let range = begin..begin.saturating_add(RUN * PIECE_BYTES);
        let body = match self.0.store.get(key, Some(range)).await {
            Ok(Some(body)) => body,
            Ok(None) => return Asked::Missing,
            Err(error) => return Asked::Failed(Arc::new(error)),
        };
        let meta = body.meta;
        self.0.known.keep(key, meta);
        if begin < meta.size {
            let run = self.claim(key, &meta, first, u64::MAX);
            if !run.pieces.is_empty() {
                tokio::spawn(run.fill(body.stream));
            }
        }
        Asked::Found(meta)
    }

    /// A piece of an object, here or on its way, with more after it as far as `end` is away; `None` where memory is
    /// full of what slow readers hold.
    pub(super) fn piece(
        &self,
        key: &ObjectKey,
        meta: &ObjectMeta,
        index: u64,
        end: u64,
    ) -> Option<Arc<Piece>> {
        let id = PieceId { key: key.clone(), index };
        let here = self.0.pieces.get(&id);
        if here.is_none() && self.is_overfull() {
            return None;
        }
        let piece = match here {
            Some(piece) => piece,
            None => self.fetch(key, meta, index, end)?,
        };
        let next = index + 1;
        let wants_next = next * PIECE_BYTES < end && !self.is_overfull();
        if wants_next && !self.0.pieces.contains_key(&PieceId { key: key.clone(), index: next }) {
            drop(self.fetch(key, meta, next, end));
        }
        Some(piece)
    }

    /// As much again as may be kept is held by readers.
    fn is_overfull(&self) -> bool {
        self.0.held.bytes() > self.0.memory_bytes.saturating_mul(2)
    }

    /// Has pieces from `index` on fetched, unless somebody else does already.
    fn fetch(&self, key: &ObjectKey, meta: &ObjectMeta, index: u64, end: u64) -> Option<Arc<Piece>> {
        let run = self.claim(key, meta, index, end);
        match run.pieces.first().cloned() {
            Some(piece) => {
                tokio::spawn(run.get());
                Some(piece)
            }
            None => self.0.pieces.get(&PieceId { key: key.clone(), index }),
        }
    }

    /// Makes the pieces from `first` on that nobody has made yet, up to a run of them, or the first that is on disk.
    fn claim(&self, key: &ObjectKey, meta: &ObjectMeta, first: u64, end: u64) -> Run {
        let mut pieces = Vec::new();
        let last = end.min(meta.size).div_ceil(PIECE_BYTES);
        for index in first..last.min(first + RUN) {
            let id = PieceId { key: key.clone(), index };
            let on_disk = self.0.disk.as_ref().is_some_and(|disk| disk.has(&id));
            if on_disk && !pieces.is_empty() {
                break;
            }
            let size = id.size(meta);
            let entry = self.0.pieces.entry(id).or_insert_with(|| Arc::new(Piece::new(size, &self.0.held)));
            if !entry.is_fresh() {
                break;
            }
            pieces.push(entry.into_value());
            if on_disk {
                break;
            }
        }
        Run { cache: self.clone(), key: key.clone(), meta: *meta, first, pieces }
    }
}

impl Run {
    /// Gets the pieces from wherever they are.
    async fn get(mut self) {
        if let Some(disk) = &self.cache.0.disk
            && let Some(bytes) = disk.read(&self.id(0)).await
        {
            self.pieces[0].add(bytes);
            self.pieces.remove(0);
            self.first += 1;
            if self.pieces.is_empty() {
                return;
            }
        }
        let begin = self.first * PIECE_BYTES;
        let length: u64 = self.pieces.iter().map(|piece| piece.size()).sum();
        match self.cache.0.store.get(&self.key, Some(begin..begin + length)).await {
            Ok(Some(body)) => self.fill(body.stream).await,
            Ok(None) => self.cache.forget(&self.key),
            // Whoever waits for the first piece asks the store itself, and tells.
            Err(error) => tracing::debug!(key = %self.key, %error, "a part of an object was not fetched"),
        }
    }

    /// Fills the pieces with what comes.
    async fn fill(self, mut chunks: Chunks) {
        let mut at = 0;
        let mut missing = self.pieces[0].size();
        while let Some(chunk) = chunks.next().await {
            let mut chunk = match chunk {
                Ok(chunk) => chunk,
                Err(error) => {
                    tracing::debug!(key = %self.key, %error, "a part of an object did not arrive");
                    return;
                }
            };
            while !chunk.is_empty() {
                let part = chunk.split_to(chunk.len().min(missing as usize));
                missing -= part.len() as u64;
                self.pieces[at].add(part);
                if missing == 0 {
                    self.keep_on_disk(at);
                    at += 1;
                    let Some(next) = self.pieces.get(at) else { return };
                    missing = next.size();
                }
            }
        }
    }

    fn keep_on_disk(&self, at: usize) {
        if let (Some(disk), Some(bytes)) = (&self.cache.0.disk, self.pieces[at].whole()) {
            disk.keep(self.id(at), self.meta, bytes);
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
                piece.give_up();
            }
        }
    }
}
