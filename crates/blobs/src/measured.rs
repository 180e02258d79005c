//! A store whose operations are timed, for metrics.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::stream::BoxStream;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, Timestamp, UploadId};
use tonearm_telemetry::{StoreOperation, StoreOutcome, used_store};

use crate::draft::{DraftError, DraftNames, DraftState, DraftStore};
use crate::error::{BlobError, PutError};
use crate::object::{ObjectMeta, PutTerms, Stored};
use crate::object_body::ObjectBody;
use crate::open_object::OpenObject;
use crate::store::{Incoming, Listed, Store};

/// Wraps any store. Listing is not timed: how long it takes depends on the reader.
pub(crate) struct MeasuredStore(pub(crate) Arc<dyn Store>);

/// Whether an error is the store's own.
trait FailureSource {
    fn is_of_store(&self) -> bool;
}

impl FailureSource for BlobError {
    fn is_of_store(&self) -> bool {
        true
    }
}

impl FailureSource for PutError {
    fn is_of_store(&self) -> bool {
        matches!(self, Self::Store(_))
    }
}

impl FailureSource for DraftError {
    fn is_of_store(&self) -> bool {
        matches!(self, Self::Store(_))
    }
}

async fn timed<T, E: FailureSource>(
    operation: StoreOperation,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut running = Running { operation, began: Instant::now(), outcome: StoreOutcome::Cancelled };
    let done = work.await;
    running.outcome = match &done {
        Err(error) if error.is_of_store() => StoreOutcome::Failure,
        _ => StoreOutcome::Success,
    };
    done
}

/// A running operation. It is recorded when it is dropped: if a store hangs, the only sign of it is that the caller
/// stops waiting.
struct Running {
    operation: StoreOperation,
    began: Instant,
    outcome: StoreOutcome,
}

impl Drop for Running {
    fn drop(&mut self) {
        used_store(self.operation, self.outcome, self.began.elapsed());
    }
}

#[async_trait]
impl Store for MeasuredStore {
    async fn put(&self, key: &ObjectKey, body: Incoming<'_>, terms: PutTerms) -> Result<Stored, PutError> {
        timed(StoreOperation::Put, self.0.put(key, body, terms)).await
    }

    async fn copy(&self, from: &ObjectKey, to: &ObjectKey) -> Result<Option<u64>, BlobError> {
        timed(StoreOperation::Copy, self.0.copy(from, to)).await
    }

    async fn get(&self, key: &ObjectKey, range: Option<Range<u64>>) -> Result<Option<ObjectBody>, BlobError> {
        timed(StoreOperation::Get, self.0.get(key, range)).await
    }

    async fn deliver(
        &self,
        key: &ObjectKey,
        range: Option<Range<u64>>,
    ) -> Result<Option<ObjectBody>, BlobError> {
        timed(StoreOperation::Get, self.0.deliver(key, range)).await
    }

    fn at_hand(&self, key: &ObjectKey) -> Option<OpenObject> {
        self.0.at_hand(key)
    }

    async fn head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        timed(StoreOperation::Head, self.0.head(key)).await
    }

    async fn deliver_head(&self, key: &ObjectKey) -> Result<Option<ObjectMeta>, BlobError> {
        timed(StoreOperation::Head, self.0.deliver_head(key)).await
    }

    async fn delete_many(&self, keys: Vec<ObjectKey>) -> Result<(), BlobError> {
        timed(StoreOperation::Delete, self.0.delete_many(keys)).await
    }

    fn list(
        &self,
        organization: Option<OrganizationId>,
        folder: Option<ShortId>,
        after: Option<&ObjectKey>,
    ) -> BoxStream<'_, Result<Listed, BlobError>> {
        self.0.list(organization, folder, after)
    }

    fn local_path(&self, key: &ObjectKey) -> Option<PathBuf> {
        self.0.local_path(key)
    }

    async fn open_draft(
        &self,
        id: UploadId,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Box<dyn DraftStore>, DraftError> {
        timed(StoreOperation::Draft, self.0.open_draft(id, state, names)).await
    }

    async fn remove_draft(&self, id: UploadId, state: DraftState) -> Result<(), BlobError> {
        timed(StoreOperation::Draft, self.0.remove_draft(id, state)).await
    }

    async fn create(&self) -> Result<(), BlobError> {
        self.0.create().await
    }

    async fn check(&self) -> Result<(), BlobError> {
        timed(StoreOperation::Check, self.0.check()).await
    }

    async fn remove_temporaries(&self, older_than: Timestamp) -> Result<u64, BlobError> {
        self.0.remove_temporaries(older_than).await
    }
}
