//! Objects in an S3-compatible bucket.

mod bucket;
mod draft;
mod error;
mod name_locks;
mod named;
mod waiting;
mod writing;

use std::ops::Range;
use std::path::PathBuf;

use async_trait::async_trait;
use futures::future;
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};

pub(crate) use self::bucket::S3Store;
use self::bucket::meta_of;
use self::draft::BucketWriter;
use self::error::{failure, if_there};
use self::waiting::{each_in_time, in_time};
use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, PutError};
use crate::object::{ObjectMeta, PutTerms, Stored};
use crate::object_body::ObjectBody;
use crate::open_object::OpenObject;
use crate::store::{Incoming, Listed, Store};

/// The file that [`Blobs::check`](crate::Blobs::check) writes. No object has such a name.
const PROBE: &str = ".tonearm-check";

#[async_trait]
impl Store for S3Store {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError> {
        writing::put(&self.client, &self.name_locks, self.path(key), body, terms).await
    }

    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        let Some(meta) = self.head(from).await? else { return Ok(None) };
        if meta.size <= writing::MOST_COPIED {
            let (from, to) = (self.path(from), self.path(to));
            let copied = writing::copy(&self.client, &self.name_locks, from, to);
            return Ok(in_time(copied).await?.then_some(meta.size));
        }
        let Some(body) = self.get(from, None).await? else { return Ok(None) };
        let terms = PutTerms { expected_size: Some(meta.size), ..PutTerms::default() };
        match self.put(to, body.stream.map_err(Into::into).boxed(), terms).await {
            Ok(stored) => Ok(Some(stored.size)),
            Err(PutError::Store(error)) => Err(error),
            Err(error) => Err(BlobError::unavailable("an object of the bucket could not be copied", error)),
        }
    }

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError> {
        in_time(self.begin_get(key, range)).await
    }

    fn at_hand(&self, _: &ObjectKey) -> Option<OpenObject> {
        None
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        in_time(async { self.meta(key).await.map_err(failure) }).await
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        let paths: Vec<_> = keys.iter().map(|key| Ok(self.path(key))).collect();
        let deleted = self.client.delete_stream(stream::iter(paths).boxed());
        each_in_time(deleted.map(|answer| if_there(answer).map_err(failure)).boxed())
            .try_for_each(|_| future::ready(Ok(())))
            .await
    }

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        let below = match organization {
            Some(organization) => self.folder(organization, folder),
            None => self.prefix.clone(),
        };
        let after = after.map(|after| self.path(after));
        let listed = match &after {
            Some(after) => self.client.list_with_offset(Some(&below), after),
            None => self.client.list(Some(&below)),
        };
        each_in_time(listed.map_err(failure))
            .try_filter_map(move |meta| {
                // Some stores ignore `start-after`.
                let is_later = after.as_ref().is_none_or(|after| meta.location.as_ref() > after.as_ref());
                let key = self.key(&meta.location).filter(|_| is_later);
                let wanted = key.filter(|key| folder.is_none_or(|folder| key.folder == folder));
                future::ready(Ok(wanted.map(|key| (key, meta_of(&meta)))))
            })
            .boxed()
    }

    fn local_path(&self, _: &ObjectKey) -> Option<PathBuf> {
        None
    }

    async fn check(&self) -> Result<(), BlobError> {
        let probe = self.prefix.clone().join(PROBE);
        let put = self.client.put(&probe, PutPayload::from_static(b"probe"));
        in_time(async { put.await.map_err(failure).map(drop) }).await
    }

    async fn open_draft(
        &self,
        _: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError> {
        Ok(Box::new(BucketWriter::open(self.clone(), state, names).await?))
    }

    async fn remove_draft(&self, _: UploadId, state: DraftState) -> Result<(), BlobError> {
        draft::remove(self, state).await
    }

    async fn remove_temporaries(&self, _: Timestamp) -> Result<u64, BlobError> {
        Ok(0)
    }
}
