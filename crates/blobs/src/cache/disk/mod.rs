//! Pieces on the local disk. They are copies: nothing is synced, and a piece that cannot be read is fetched again.
//!
//! Files are written, read and removed on threads for blocking work only.

mod index;
mod piece_file;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tonearm_domain::ObjectKey;

use self::index::Index;
use super::piece_id::PieceId;
use crate::object::ObjectMeta;

/// Concurrent writes of pieces. While this many are running, further pieces are not kept on disk.
const WRITERS: usize = 32;

/// Concurrent reads of pieces. Further reads wait.
const READERS: usize = 64;

#[derive(Clone)]
pub(super) struct Disk {
    folder: Arc<Path>,
    index: Arc<Mutex<Index>>,
    writers: Arc<Semaphore>,
    readers: Arc<Semaphore>,
    /// Whether the last write failed.
    is_failing: Arc<AtomicBool>,
}

impl Disk {
    /// Opens a folder that may take at most `capacity` bytes, with the pieces that it already has. Other files in it
    /// are removed.
    pub(super) async fn open(folder: PathBuf, capacity: u64) -> io::Result<Self> {
        let disk = Self {
            folder: folder.into(),
            index: Arc::new(Mutex::new(Index::new(capacity))),
            writers: Arc::new(Semaphore::new(WRITERS)),
            readers: Arc::new(Semaphore::new(READERS)),
            is_failing: Arc::default(),
        };
        let filled = disk.clone();
        spawn_blocking(move || {
            for (id, meta) in piece_file::find(&filled.folder)? {
                filled.insert(id, meta);
            }
            Ok(disk)
        })
        .await
        .map_err(io::Error::other)?
    }

    pub(super) fn has(&self, id: &PieceId) -> bool {
        self.index().has(id)
    }

    /// The metadata of an object that has pieces on disk.
    pub(super) fn meta(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.index().meta(key)
    }

    /// All objects that have pieces on disk.
    pub(super) fn objects(&self) -> Vec<ObjectKey> {
        self.index().objects()
    }

    /// The bytes of a piece, if it is on disk and undamaged. A damaged one is removed.
    pub(super) async fn read(&self, id: &PieceId) -> Option<Bytes> {
        let meta = self.index().touch(id)?;
        let permit = self.readers.clone().acquire_owned().await.ok()?;
        let (disk, id) = (self.clone(), id.clone());
        let read = spawn_blocking(move || {
            // The task itself holds the permit, since it goes on even if its caller stops waiting.
            let _permit = permit;
            disk.read_or_remove(&id, &meta)
        });
        read.await.ok().flatten()
    }

    /// Blocks.
    fn read_or_remove(&self, id: &PieceId, meta: &ObjectMeta) -> Option<Bytes> {
        match piece_file::read(&self.folder, id, meta) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                // Files vanish all at once, with their folder.
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(key = %id.key, piece = id.index, %error, "removing an unreadable piece of an object from the cache");
                }
                self.index().remove(id);
                piece_file::remove(&self.folder, id, meta);
                None
            }
        }
    }

    /// Writes a piece in the background, unless too many are being written already. After the write, `is_wanted`
    /// returns false if the object was deleted or replaced meanwhile.
    pub(super) fn keep(
        &self,
        id: PieceId,
        meta: ObjectMeta,
        bytes: Bytes,
        is_wanted: impl FnOnce() -> bool + Send + 'static,
    ) {
        let Ok(permit) = self.writers.clone().try_acquire_owned() else { return };
        let disk = self.clone();
        drop(spawn_blocking(move || {
            match piece_file::write(&disk.folder, &id, &meta, &bytes) {
                Ok(()) => {
                    if disk.is_failing.swap(false, Ordering::Relaxed) {
                        tracing::info!("the cache can write to its folder again");
                    }
                    disk.insert_if(id, meta, is_wanted);
                }
                // Once, and not for each piece.
                Err(error) if !disk.is_failing.swap(true, Ordering::Relaxed) => {
                    tracing::warn!(%error, "could not write a piece of an object to the cache; the cache continues in memory");
                }
                Err(error) => tracing::debug!(%error, "could not write a piece of an object to the cache"),
            }
            drop(permit);
        }));
    }

    /// Removes all pieces of an object, and returns its metadata.
    pub(super) fn forget(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        let (meta, removed) = self.index().remove_object(key)?;
        let folder = self.folder.clone();
        drop(spawn_blocking(move || {
            for id in removed {
                piece_file::remove(&folder, &id, &meta);
            }
        }));
        Some(meta)
    }

    /// Blocks.
    fn insert_if(&self, id: PieceId, meta: ObjectMeta, is_wanted: impl FnOnce() -> bool) {
        let mut index = self.index();
        // Called while the index is locked, so that the object cannot be forgotten meanwhile.
        if is_wanted() {
            let evicted = index.insert(id, meta);
            drop(index);
            self.remove(&evicted);
        } else {
            drop(index);
            piece_file::remove(&self.folder, &id, &meta);
        }
    }

    /// Blocks.
    fn insert(&self, id: PieceId, meta: ObjectMeta) {
        let evicted = self.index().insert(id, meta);
        self.remove(&evicted);
    }

    fn remove(&self, evicted: &[(PieceId, ObjectMeta)]) {
        for (id, meta) in evicted {
            piece_file::remove(&self.folder, id, meta);
        }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // Every change is atomic, so the index is consistent even after a panic.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
