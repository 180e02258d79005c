//! A cache in front of a store that is far away: pieces of objects in memory and on the local disk.
//!
//! Objects are fetched in runs of a few pieces. The first reader starts a run, and all others that need its bytes
//! meanwhile get them as they arrive, so a thousand waiting listeners cost one fetch. When a reader reaches the last
//! piece of a run, the next run is fetched ahead. A reader gets bytes from memory, else from the disk, else from a
//! fetch that it shares. A fetch that fails is retried once, for all its readers, before they get the error. The
//! content of a name changes only if a damaged object is replaced. Whether the object still exists, with the same
//! length, date and version, is checked regularly, in the background. While the store does not respond, the cached pieces are still served.

mod disk;
mod fetching;
mod known_objects;
mod lookups;
mod piece;
mod piece_id;
mod reading;
mod rechecking;

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::BoxStream;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::Semaphore;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};
use tonearm_telemetry::Cache as CacheName;

use self::disk::Disk;
use self::known_objects::{KnownObjects, PendingLookups};
use self::piece::{Piece, PieceMemory};
use self::piece_id::{PIECE_BYTES, PieceId, RUN};
use crate::chunks::Chunks;
use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, PutError};
use crate::object::{ObjectMeta, PutTerms, Stored};
use crate::object_body::ObjectBody;
use crate::open_object::{ObjectCache, OpenObject};
use crate::store::{Incoming, Listed, Store};

/// Maximum number of pieces being fetched at once. The memory of the cache may allow fewer.
const MOST_FETCHED_AT_ONCE: u64 = 4096;

/// How much the cache keeps, where, and for how long without asking the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheTerms {
    /// Maximum number of bytes in memory.
    pub memory_bytes: u64,
    /// A folder on the local disk, and the maximum number of bytes in it.
    pub disk: Option<(PathBuf, u64)>,
    /// Time after which a delivered object is checked again for existence.
    pub recheck: Duration,
    /// Time in which every cached object is checked once, whether or not it is delivered.
    pub recheck_all: Duration,
    /// How long the store may take to begin a response, and then for each further part of it, before the request is
    /// retried once.
    pub deadline: Duration,
}

/// A store with a cache for deliveries. All other operations go directly to the store.
#[derive(Clone)]
pub(crate) struct CachedStore(Arc<Shared>);

struct Shared {
    store: Arc<dyn Store>,
    known: KnownObjects,
    pending_lookups: PendingLookups,
    pieces: Cache<PieceId, Arc<Piece>>,
    /// Includes evicted pieces that readers still hold.
    piece_memory: PieceMemory,
    memory_bytes: u64,
    /// One permit for each piece that may be fetched at the same time.
    fetch_permits: Arc<Semaphore>,
    deadline: Duration,
    disk: Option<Disk>,
}

impl CachedStore {
    /// Puts a cache in front of a store. Pieces that are already on the disk are used.
    pub(crate) async fn open(store: Arc<dyn Store>, terms: CacheTerms) -> Result<Self, BlobError> {
        let known = KnownObjects::new(terms.recheck);
        let disk = match terms.disk {
            Some((folder, capacity)) => Some(
                Disk::open(folder, capacity)
                    .await
                    .map_err(|error| BlobError::unavailable("cannot use the folder of the cache", error))?,
            ),
            None => None,
        };
        let pieces = Cache::builder()
            .max_capacity(terms.memory_bytes)
            .eviction_policy(EvictionPolicy::lru())
            .weigher(|_: &PieceId, piece: &Arc<Piece>| u32::try_from(piece.size()).unwrap_or(u32::MAX))
            .build();
        let memory_bytes = terms.memory_bytes;
        let fetch_permits = (memory_bytes / PIECE_BYTES).clamp(RUN, MOST_FETCHED_AT_ONCE);
        let cache = Self(Arc::new(Shared {
            store,
            known,
            pending_lookups: PendingLookups::new(),
            pieces,
            piece_memory: PieceMemory::default(),
            memory_bytes,
            fetch_permits: Arc::new(Semaphore::new(usize::try_from(fetch_permits).unwrap_or(usize::MAX))),
            deadline: terms.deadline,
            disk,
        }));
        cache.recheck_all(terms.recheck_all);
        Ok(cache)
    }

    /// The metadata of an object, if it is cached.
    fn kept_meta(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.0.known.get(key).or_else(|| self.0.disk.as_ref()?.meta(key))
    }

    /// The same for an object that is about to be delivered.
    fn cached_meta(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        let known = self.0.known.get(key);
        known.or_else(|| {
            let meta = self.0.disk.as_ref()?.meta(key)?;
            self.0.known.insert_unchecked(key, meta);
            Some(meta)
        })
    }

    /// Removes an object from the cache.
    fn forget(&self, key: &ObjectKey) {
        // In this order, so that a piece that is being written meanwhile is not kept on disk.
        let known = self.0.known.forget(key);
        let on_disk = self.0.disk.as_ref().and_then(|disk| disk.forget(key));
        if let Some(meta) = known.or(on_disk) {
            for index in 0..meta.size.div_ceil(PIECE_BYTES) {
                self.0.pieces.invalidate(&PieceId { key: key.clone(), index });
            }
        }
    }
}

#[async_trait]
impl Store for CachedStore {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError> {
        self.0.store.put(key, body, terms).await
    }

    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        self.0.store.copy(from, to).await
    }

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError> {
        self.0.store.get(key, range).await
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.0.store.head(key).await
    }

    fn at_hand(&self, key: &ObjectKey) -> Option<OpenObject> {
        let meta = self.cached_meta(key);
        tonearm_telemetry::looked_up(CacheName::Objects, meta.is_some());
        let meta = meta?;
        self.recheck_if_due(key);
        Some(OpenObject::cached(self.0.clone(), key.clone(), meta))
    }

    async fn deliver(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        self.get_range(key, range).await
    }

    async fn deliver_head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.head_meta(key).await.into_meta()
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        let deleted = self.0.store.delete_many(keys.clone()).await;
        for key in &keys {
            self.forget(key);
        }
        deleted
    }

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        self.0.store.list(organization, folder, after)
    }

    fn local_path(&self, key: &ObjectKey) -> Option<PathBuf> {
        self.0.store.local_path(key)
    }

    async fn create(&self) -> Result<(), BlobError> {
        self.0.store.create().await
    }

    async fn check(&self) -> Result<(), BlobError> {
        self.0.store.check().await
    }

    async fn open_draft(
        &self,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError> {
        self.0.store.open_draft(id, state, names).await
    }

    async fn remove_draft(&self, id: UploadId, state: DraftState) -> Result<(), BlobError> {
        self.0.store.remove_draft(id, state).await
    }

    async fn remove_temporaries(&self, older_than: Timestamp) -> Result<u64, BlobError> {
        self.0.store.remove_temporaries(older_than).await
    }
}

impl ObjectCache for Shared {
    fn open(self: Arc<Self>, key: &ObjectKey) -> Option<OpenObject> {
        CachedStore(self).at_hand(key)
    }

    fn read(self: Arc<Self>, key: &ObjectKey, meta: ObjectMeta, range: Range<u64>) -> Option<Chunks> {
        CachedStore(self).read(key, meta, range)
    }
}
