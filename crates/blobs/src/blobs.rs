//! The handle through which all other code accesses objects.

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt, TryStreamExt};
use tokio::io::AsyncWriteExt;
use tokio_util::io::ReaderStream;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};

use crate::cache::{CacheTerms, CachedStore};
use crate::draft::{DraftError, DraftNames, DraftState, DraftWriter};
use crate::error::{BlobError, BoxError, PutError};
use crate::folder::{FolderStore, Root};
use crate::measured::MeasuredStore;
use crate::object::{ObjectMeta, OnFailure, PutTerms, Stored};
use crate::object_body::ObjectBody;
use crate::open_object::OpenObject;
use crate::s3::S3Store;
use crate::storage_url::{StorageUrl, StoreLocation};
use crate::store::{Listed, Store};

/// Size of each read from a local file that is put, in bytes.
const FILE_CHUNK: usize = 256 * 1024;

/// An object store. Clones are cheap and share the same store.
#[derive(Clone)]
pub struct Blobs {
    store: Arc<dyn Store>,
}

impl Blobs {
    /// Opens a store. A folder is created (mode 0700) if it does not exist. A bucket is not created, and no request is
    /// sent to it: [`Blobs::check`] reports whether it can be reached.
    pub async fn open(url: &StorageUrl) -> Result<Self, BlobError> {
        let blobs = Self::at(url)?;
        blobs.create().await?;
        Ok(blobs)
    }

    /// As [`Blobs::open`], but nothing is created until [`Blobs::create`]: a folder that is not there, or is empty, is
    /// unavailable, since its disk may not be mounted.
    pub fn at(url: &StorageUrl) -> Result<Self, BlobError> {
        let store: Arc<dyn Store> = match url.location() {
            StoreLocation::Folder(root) => Arc::new(FolderStore::of(Root::at(root.clone()))),
            StoreLocation::Bucket(bucket) => Arc::new(S3Store::open(bucket)?),
        };
        Ok(Self::measured(store))
    }

    /// Creates a folder (mode 0700) that does not exist.
    pub async fn create(&self) -> Result<(), BlobError> {
        self.store.create().await
    }

    /// Opens the store `name` below `url` to read it. Nothing is created. An object that is not found is missing as long as
    /// the folder `sign`, which is also below `url`, exists; otherwise, the store is unavailable.
    pub fn open_to_read(url: &StorageUrl, name: &str, sign: &str) -> Result<Self, BlobError> {
        let below = url.below(name);
        let store: Arc<dyn Store> = match below.location() {
            StoreLocation::Folder(path) => {
                let sign = path.with_file_name(sign);
                Arc::new(FolderStore::of(Root::to_read(path.clone(), sign)))
            }
            StoreLocation::Bucket(bucket) => Arc::new(S3Store::open(bucket)?),
        };
        Ok(Self::measured(store))
    }

    fn measured(store: Arc<dyn Store>) -> Self {
        match tonearm_telemetry::is_on() {
            true => Self { store: Arc::new(MeasuredStore(store)) },
            false => Self { store },
        }
    }

    /// The same store with a cache in front of what is delivered, for a store that is far away.
    pub async fn with_cache(self, terms: CacheTerms) -> Result<Self, BlobError> {
        Ok(Self { store: Arc::new(CachedStore::open(self.store, terms).await?) })
    }

    /// Puts an object from a stream, with memory that does not grow with its size. The object becomes visible as a
    /// whole, and is durable when this returns. On an error, and when the future is dropped, nothing stays unless the
    /// terms say so. In S3 the object is then removed in the background, and another put of the same name by this
    /// process waits for that.
    ///
    /// Each name is used only once: what happens to an existing object of that name is not defined.
    pub async fn put<S, E>(&self, key: &ObjectKey, body: S, terms: PutTerms) -> Result<Stored, PutError>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Into<BoxError>,
    {
        let body = body.map_err(Into::into).boxed();
        self.store.put(key, body, terms).await
    }

    /// Puts bytes that are already in memory.
    pub async fn put_bytes(&self, key: &ObjectKey, bytes: Bytes) -> Result<Stored, PutError> {
        let body = futures::stream::iter([Ok::<_, BoxError>(bytes)]);
        self.put(key, body, PutTerms::default()).await
    }

    /// Puts bytes under a name that is only ever used for these bytes. It may be called again after an error, even by
    /// several nodes at the same time. After an error the object may or may not exist.
    pub async fn put_repeatable(&self, key: &ObjectKey, bytes: Bytes) -> Result<Stored, PutError> {
        let body = futures::stream::iter([Ok::<_, BoxError>(bytes)]);
        self.put(key, body, PutTerms { on_failure: OnFailure::Leave, ..PutTerms::default() }).await
    }

    /// Puts a copy of a finished local file. A file that cannot be read is [`PutError::Interrupted`].
    pub async fn put_file(&self, key: &ObjectKey, path: &Path) -> Result<Stored, PutError> {
        let interrupted = |error: io::Error| PutError::Interrupted(error.into());
        let file = tokio::fs::File::open(path).await.map_err(interrupted)?;
        let size = file.metadata().await.map_err(interrupted)?.len();
        let body = ReaderStream::with_capacity(file, FILE_CHUNK);
        let terms = PutTerms { expected_size: Some(size), ..PutTerms::default() };
        self.put(key, body, terms).await
    }

    /// Copies an object under another name without reading it into this process, where the store can do that: a bucket
    /// copies by itself, and some file systems share the blocks. Returns the size of the copy in bytes; `None` if there
    /// is no such object. The copy is durable. On an error, and when the future is dropped, nothing stays.
    pub async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        self.store.copy(from, to).await
    }

    /// Reads an object, or a range of it, clamped to the object's size; `None` if there is no such object. An object
    /// that is being read stays readable when it is deleted (in a folder always, in S3 as far as it was fetched).
    pub async fn get(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        self.store.get(key, range).await
    }

    /// As [`Blobs::get`], for objects that are fetched repeatedly: through the cache, where there is one.
    pub async fn deliver(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        self.store.deliver(key, range).await
    }

    /// An object that can be read without waiting for the store to find it; `None` does not mean that there is no such
    /// object. This never blocks.
    pub fn at_hand(&self, key: &ObjectKey) -> Option<OpenObject> {
        self.store.at_hand(key)
    }

    /// The metadata of an object; `None` if there is no such object.
    pub async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.store.head(key).await
    }

    /// As [`Blobs::head`], for objects that are fetched repeatedly: from the cache, where there is one. Simultaneous
    /// lookups of an object share one request to the store.
    pub async fn deliver_head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.store.deliver_head(key).await
    }

    /// Copies an object into a local file, which is created or emptied first; `false` when there is no such
    /// object. On an error the file is removed.
    pub async fn fetch_to(&self, key: &ObjectKey, path: &Path) -> Result<bool, BlobError> {
        let Some(body) = self.store.get(key, None).await? else {
            return Ok(false);
        };
        let written = write_file(body, path).await;
        if written.is_err() {
            let _ = tokio::fs::remove_file(path).await;
        }
        written.map(|()| true)
    }

    /// The path of an object in the local file system, whether or not it exists; `None` when the store is not a folder.
    /// The file is for reading only.
    pub fn local_path(&self, key: &ObjectKey) -> Option<PathBuf> {
        self.store.local_path(key)
    }

    /// Deletes an object. Succeeds if it does not exist.
    pub async fn delete(&self, key: &ObjectKey) -> Result<(), BlobError> {
        self.store.delete_many(vec![key.clone()]).await
    }

    /// Deletes objects. On an error some of them may be deleted; deleting all of them again is safe.
    pub async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        self.store.delete_many(keys).await
    }

    /// Lists the objects of an organization, of a folder, or all. Files that are not named like objects are skipped.
    /// Objects that are put or deleted meanwhile may or may not be listed.
    pub fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        self.store.list(organization, folder, None)
    }

    /// Lists every object whose name sorts after `after`, in the byte order of their names; from the first one for
    /// `None`. A long walk through the store can record the last name and continue from there. Otherwise as
    /// [`Blobs::list`].
    pub fn list_after(&self, after: Option<&ObjectKey>) -> BoxStream<'_, Result<Listed, BlobError>> {
        self.store.list(None, None, after)
    }

    /// Opens a draft at the state that was recorded last; with the default state, a new one. Bytes written after that
    /// state are lost.
    pub async fn open_draft(
        &self,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<DraftWriter, DraftError> {
        self.store.open_draft(id, state, names).await.map(DraftWriter)
    }

    /// Removes all data of a draft, but not the object that it became ([`DraftState::object`]). Succeeds if there is no
    /// such draft. The draft must not have a writer.
    pub async fn remove_draft(&self, id: UploadId, state: DraftState) -> Result<(), BlobError> {
        self.store.remove_draft(id, state).await
    }

    /// Whether the store can be reached and written to. Cheap enough for a readiness probe.
    pub async fn check(&self) -> Result<(), BlobError> {
        self.store.check().await
    }

    /// Removes the temporary files of puts that were killed before `older_than`, and returns their number. In S3 this
    /// does nothing: a lifecycle rule of the bucket should abort incomplete multipart uploads.
    pub async fn remove_temporaries(&self, older_than: Timestamp) -> Result<u64, BlobError> {
        self.store.remove_temporaries(older_than).await
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Blobs")
    }
}

async fn write_file(mut body: ObjectBody, path: &Path) -> Result<(), BlobError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => BlobError::Full,
        _ => BlobError::unavailable("cannot copy an object to a local file", error),
    };
    let mut file = tokio::fs::File::create(path).await.map_err(failed)?;
    while let Some(chunk) = body.stream.try_next().await? {
        file.write_all(&chunk).await.map_err(failed)?;
    }
    file.flush().await.map_err(failed)
}
