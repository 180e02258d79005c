//! Looks up objects that are not known yet in the store. Simultaneous lookups of an object share one request.

use std::future::Future;
use std::sync::Arc;

use tokio::time::timeout;
use tonearm_domain::ObjectKey;

use super::CachedStore;
use super::known_objects::Lookup;
use super::piece_id::{PIECE_BYTES, RUN};
use crate::error::BlobError;

impl CachedStore {
    /// The metadata of an object. If it is not cached, it is requested from the store, together with the pieces from
    /// `start` on.
    pub(super) async fn get_meta(&self, key: &ObjectKey, start: u64) -> Lookup {
        match self.cached_meta(key) {
            Some(meta) => Lookup::Found(meta),
            None => self.0.pending_lookups.join_or_start(key, self.look_up_and_fetch(key, start)).await,
        }
    }

    /// The same, without fetching any pieces.
    pub(super) async fn head_meta(&self, key: &ObjectKey) -> Lookup {
        match self.cached_meta(key) {
            Some(meta) => Lookup::Found(meta),
            None => self.0.pending_lookups.join_or_start(key, self.look_up(key)).await,
        }
    }

    async fn look_up_and_fetch(&self, key: &ObjectKey, start: u64) -> Lookup {
        // An earlier lookup may have completed meanwhile.
        if let Some(meta) = self.cached_meta(key) {
            return Lookup::Found(meta);
        }
        let first = start / PIECE_BYTES;
        let begin = first.saturating_mul(PIECE_BYTES);
        let range = begin..begin.saturating_add(RUN * PIECE_BYTES);
        match self.retry_once(|| self.0.store.get(key, Some(range.clone()))).await {
            Ok(Some(body)) => {
                let meta = body.meta;
                self.0.known.insert(key, meta);
                if begin < meta.size {
                    self.begin_run(key, &meta, first, body);
                }
                Lookup::Found(meta)
            }
            Ok(None) => Lookup::Missing,
            Err(error) => Lookup::Failed(Arc::new(error)),
        }
    }

    async fn look_up(&self, key: &ObjectKey) -> Lookup {
        if let Some(meta) = self.cached_meta(key) {
            return Lookup::Found(meta);
        }
        match self.retry_once(|| self.0.store.head(key)).await {
            Ok(Some(meta)) => {
                self.0.known.insert(key, meta);
                Lookup::Found(meta)
            }
            Ok(None) => Lookup::Missing,
            Err(error) => Lookup::Failed(Arc::new(error)),
        }
    }

    /// Sends a request, and retries it once if it fails or times out.
    async fn retry_once<T, F>(&self, request: impl Fn() -> F) -> Result<Option<T>, BlobError>
    where
        F: Future<Output = Result<Option<T>, BlobError>>,
    {
        let deadline = self.0.deadline;
        if let Ok(Ok(answer)) = timeout(deadline, request()).await {
            return Ok(answer);
        }
        timeout(deadline, request()).await.unwrap_or_else(|error| {
            Err(BlobError::unavailable("the object store does not respond in time", error))
        })
    }
}
