//! Objects as files below one folder, `{root}/{organization}/{folder}/{file}`.
//!
//! A put writes to `{root}/.tmp`, syncs the file, renames it and syncs the folders above it, so that an object exists
//! as a whole or not at all, even after a power failure. Deletes are not synced: one that a power failure undoes leaves
//! an object without a row, which the sweep finds.

mod draft;
mod files;
mod listing;
mod mapped;
mod named;
mod open_file;
mod open_files;
mod reading;
mod writing;

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use futures::stream::BoxStream;
use tokio::task::spawn_blocking;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, Upload, UploadId};

pub(crate) use files::Root;
pub(crate) use mapped::InMemory;
pub(crate) use named::{delete_named, list_named, open_named, put_named};
pub(crate) use open_file::OpenFile;
pub(crate) use reading::FileChunks;

use self::draft::FolderDraft;
use self::files::{delete, meta_of, open_to_read, timestamp, unless_missing};
use self::open_files::OpenFiles;
use crate::chunks::Chunks;
use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, PutError};
use crate::object::{ObjectMeta, PutTerms, Stored, clamp};
use crate::object_body::ObjectBody;
use crate::open_object::OpenObject;
use crate::store::{Incoming, Listed, Store};

pub(crate) struct FolderStore {
    root: Root,
    open: Arc<OpenFiles>,
}

impl FolderStore {
    pub(crate) fn of(root: Root) -> Self {
        let open = Arc::new(OpenFiles::new());
        tokio::spawn(OpenFiles::close_deleted_regularly(Arc::downgrade(&open)));
        Self { root, open }
    }

    fn path(&self, key: &ObjectKey) -> PathBuf {
        self.root.path.join(key.to_string())
    }

    /// The object's file, opened if it is not yet; `None` when there is no such object.
    async fn open_file(&self, key: &ObjectKey) -> Result<Option<Arc<OpenFile>>, BlobError> {
        if let Some(open) = self.open.get(key) {
            return Ok(Some(open));
        }
        let opened = self
            .run(key, |root, path| {
                let Some(file) = root.if_there(open_to_read(path))? else {
                    return Ok(None);
                };
                let meta = file.metadata()?;
                OpenFile::new(file, &meta).map(Some)
            })
            .await?;
        if let Some(opened) = &opened {
            self.open.keep(key, opened);
        }
        Ok(opened)
    }

    /// Runs a file operation off the reactor, with the root and the object's path.
    async fn run<T: Send + 'static>(
        &self,
        key: &ObjectKey,
        work: impl FnOnce(&Root, &Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T, BlobError> {
        let (root, path) = (self.root.clone(), self.path(key));
        Ok(spawn_blocking(move || work(&root, &path)).await??)
    }
}

#[async_trait]
impl Store for FolderStore {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError> {
        writing::put(&self.root, &self.path(key), body, terms).await
    }

    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        let to = self.path(to);
        let copied = self.run(from, move |root, from| writing::copy(root, from, &to)).await?;
        Ok(copied.map(writing::Published::keep))
    }

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError> {
        Ok(self.open_file(key).await?.map(|file| {
            let meta = file.meta();
            let range = clamp(range, meta.size);
            let stream = Chunks::of_file(FileChunks::new(file, range.clone()));
            ObjectBody { meta, range, stream }
        }))
    }

    fn at_hand(&self, key: &ObjectKey) -> Option<OpenObject> {
        self.open.get(key).map(OpenObject::of_file)
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.run(key, |root, path| root.if_there(fs::metadata(path))?.as_ref().map(meta_of).transpose()).await
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        for key in &keys {
            self.open.forget(key);
        }
        let root = self.root.clone();
        spawn_blocking(move || {
            for key in keys {
                delete(&root, &root.path.join(key.to_string()))?;
            }
            Ok(())
        })
        .await?
    }

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        listing::list(self.root.clone(), organization, folder, after.cloned())
    }

    fn local_path(&self, key: &ObjectKey) -> Option<PathBuf> {
        Some(self.path(key))
    }

    async fn create(&self) -> Result<(), BlobError> {
        let root = self.root.clone();
        Ok(spawn_blocking(move || root.create()).await??)
    }

    async fn check(&self) -> Result<(), BlobError> {
        let root = self.root.clone();
        spawn_blocking(move || {
            let mut probe = tempfile::NamedTempFile::new_in(root.temporaries()?)?;
            io::Write::write_all(&mut probe, b"probe")?;
            Ok(probe.close()?)
        })
        .await?
    }

    async fn open_draft(
        &self,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError> {
        Ok(Box::new(FolderDraft::open(self.root.clone(), id, state, names).await?))
    }

    async fn remove_draft(&self, id: UploadId, _: DraftState) -> Result<(), BlobError> {
        draft::remove(self.root.path.clone(), id).await
    }

    async fn remove_temporaries(&self, older_than: Timestamp) -> Result<u64, BlobError> {
        let root = self.root.clone();
        spawn_blocking(move || {
            let mut removed = 0;
            for entry in fs::read_dir(root.temporaries()?)? {
                let entry = entry?;
                let Some(meta) = unless_missing(entry.metadata())? else {
                    continue;
                };
                // A draft outlives processes. After this time no client continues it.
                let is_draft = entry.file_name().to_string_lossy().starts_with(draft::PREFIX);
                let grace = if is_draft { Upload::MOST_SECONDS } else { 0 };
                let stale = meta.is_file() && timestamp(meta.modified()?).plus_seconds(grace) < older_than;
                if stale && unless_missing(fs::remove_file(entry.path()))?.is_some() {
                    removed += 1;
                }
            }
            Ok(removed)
        })
        .await?
    }
}
