//! Pieces on the local disk, `{folder}/{organization}/{folder}/{file}/{index}.{size}.{modified}`.
//!
//! The name of a file tells all that has to be known of it, so that a node that starts again finds what it had by
//! listing. What is there is a copy: nothing is synced, and whatever cannot be read is fetched again.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use moka::notification::RemovalCause;
use moka::policy::EvictionPolicy;
use moka::sync::Cache;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use tonearm_domain::{ObjectKey, Timestamp};

use super::{PIECE_BYTES, PieceId};
use crate::ObjectMeta;

/// Pieces written at once; while so many are, others are not kept on disk.
const WRITERS: usize = 32;

/// The name of files that are being written.
const UNFINISHED: &str = ".tmp";

pub(super) struct Disk {
    folder: Arc<Path>,
    /// The meta of the object of each piece that is there, weighed by the piece's size.
    kept: Cache<PieceId, ObjectMeta>,
    writers: Arc<Semaphore>,
}

impl Disk {
    /// Opens a folder of at most `capacity` bytes, with what is in it already, and says of which objects that is.
    pub(super) async fn open(
        folder: PathBuf,
        capacity: u64,
    ) -> io::Result<(Self, Vec<(ObjectKey, ObjectMeta)>)> {
        let folder: Arc<Path> = folder.into();
        let evicted = folder.clone();
        let kept = Cache::builder()
            .max_capacity(capacity)
            .eviction_policy(EvictionPolicy::lru())
            .weigher(|id: &PieceId, meta: &ObjectMeta| u32::try_from(id.size(meta)).unwrap_or(u32::MAX))
            .eviction_listener(move |id, meta: ObjectMeta, cause| {
                if cause != RemovalCause::Replaced {
                    remove(&evicted, &id, &meta);
                }
            })
            .build();
        let disk = Self { folder: folder.clone(), kept, writers: Arc::new(Semaphore::new(WRITERS)) };
        let found = spawn_blocking(move || find(&folder)).await.map_err(io::Error::other)??;
        let mut objects = Vec::new();
        for (id, meta) in found {
            objects.push((id.key.clone(), meta));
            disk.kept.insert(id, meta);
        }
        Ok((disk, objects))
    }

    pub(super) fn has(&self, id: &PieceId) -> bool {
        self.kept.contains_key(id)
    }

    /// The bytes of a piece, if it is there and whole.
    pub(super) async fn read(&self, id: &PieceId) -> Option<Bytes> {
        let meta = self.kept.get(id)?;
        let (path, size) = (path(&self.folder, id, &meta), id.size(&meta));
        let read = spawn_blocking(move || fs::read(path)).await.ok()?;
        match read {
            Ok(bytes) if bytes.len() as u64 == size => Some(bytes.into()),
            _ => {
                self.kept.invalidate(id);
                None
            }
        }
    }

    /// Writes a piece in the background, unless too many are being written already.
    pub(super) fn keep(&self, id: PieceId, meta: ObjectMeta, bytes: Bytes) {
        let Ok(permit) = self.writers.clone().try_acquire_owned() else { return };
        let (folder, kept) = (self.folder.clone(), self.kept.clone());
        drop(spawn_blocking(move || {
            match write(&folder, &path(&folder, &id, &meta), &bytes) {
                Ok(()) => kept.insert(id, meta),
                Err(error) => tracing::warn!(%error, "a part of an object could not be kept on disk"),
            }
            drop(permit);
        }));
    }

    /// Removes a piece.
    pub(super) fn forget(&self, id: &PieceId) {
        self.kept.invalidate(id);
    }
}

fn path(folder: &Path, id: &PieceId, meta: &ObjectMeta) -> PathBuf {
    let file = format!("{}.{}.{}", id.index, meta.size, meta.modified.unix_millis());
    folder.join(id.key.to_string()).join(file)
}

fn write(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let parent = path.parent().unwrap_or(folder);
    let mut file = tempfile::NamedTempFile::with_prefix_in("put-", folder.join(UNFINISHED))?;
    file.write_all(bytes)?;
    fs::create_dir_all(parent)?;
    file.persist(path)?;
    Ok(())
}

/// Removes a piece's file and the folders that are then empty. What is gone already is as good.
fn remove(folder: &Path, id: &PieceId, meta: &ObjectMeta) {
    let path = path(folder, id, meta);
    let _ = fs::remove_file(&path);
    for empty in path.ancestors().skip(1).take_while(|above| *above != folder) {
        if fs::remove_dir(empty).is_err() {
            break;
        }
    }
}

/// The pieces in a folder, which is made if it is not there. Unfinished files go.
fn find(folder: &Path) -> io::Result<Vec<(PieceId, ObjectMeta)>> {
    let unfinished = folder.join(UNFINISHED);
    let _ = fs::remove_dir_all(&unfinished);
    fs::create_dir_all(&unfinished)?;
    let mut found = Vec::new();
    for organization in names(folder) {
        for below in names(&folder.join(&organization)) {
            for file in names(&folder.join(&organization).join(&below)) {
                let name = format!("{organization}/{below}/{file}");
                let Ok(key) = name.parse::<ObjectKey>() else { continue };
                let pieces = names(&folder.join(&name));
                found.extend(pieces.iter().filter_map(|piece| parse(&key, piece)));
            }
        }
    }
    Ok(found)
}

fn parse(key: &ObjectKey, name: &str) -> Option<(PieceId, ObjectMeta)> {
    let mut numbers = name.split('.');
    let index = numbers.next()?.parse().ok()?;
    let size = numbers.next()?.parse().ok()?;
    let modified = Timestamp::from_unix_millis(numbers.next()?.parse().ok()?)?;
    let inside = numbers.next().is_none() && size > 0 && index <= (size - 1) / PIECE_BYTES;
    inside.then(|| (PieceId { key: key.clone(), index }, ObjectMeta { size, modified }))
}

/// The names in a folder; none where there is no folder.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().into_string().ok()).collect()
}
