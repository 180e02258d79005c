//! Operations of an object store: of a folder or a bucket, and of the wrappers that cache and measure these.

use std::ops::Range;
use std::path::PathBuf;

use async_trait::async_trait;
use bytes::Bytes;
use futures::stream::BoxStream;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};

use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, BoxError, PutError};
use crate::object::{ObjectMeta, PutTerms, Stored};
use crate::object_body::ObjectBody;
use crate::open_object::OpenObject;

/// The bytes of an object that is being put.
pub(crate) type Incoming<'a> = BoxStream<'a, Result<Bytes, BoxError>>;

/// An object found by [`Store::list`].
pub(crate) type Listed = (ObjectKey, ObjectMeta);

/// The methods correspond to those of [`crate::Blobs`].
#[async_trait]
pub(crate) trait Store: Send + Sync {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError>;

    /// Copies an object within the store; `None` when there is no such object.
    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError>;

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError>;

    /// As [`Store::get`], for objects that are fetched repeatedly.
    async fn deliver(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        self.get(key, range).await
    }

    fn at_hand(&self, key: &ObjectKey) -> Option<OpenObject>;

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError>;

    /// As [`Store::head`], for objects that are fetched repeatedly.
    async fn deliver_head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        self.head(key).await
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError>;

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>>;

    fn local_path(&self, key: &ObjectKey) -> Option<PathBuf>;

    async fn open_draft(
        &self,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError>;

    async fn remove_draft(&self, id: UploadId, state: DraftState) -> Result<(), BlobError>;

    /// Makes the folder of the store, if it is not there.
    async fn create(&self) -> Result<(), BlobError> {
        Ok(())
    }

    async fn check(&self) -> Result<(), BlobError>;

    async fn remove_temporaries(&self, older_than: Timestamp) -> Result<u64, BlobError>;
}
