//! The identity that a database and its object store share.
//!
//! It is a row in the database and an object in the store, both created at the first start. The database decides: if
//! several nodes start at once, the first to propose an identity wins, and all of them store the same object. The row
//! records whether the object was stored, so that a first start that was killed resumes where it stopped.

use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use tonearm_blobs::{BlobError, Blobs, PutError};
use tonearm_catalog::{Catalog, CatalogError, StoreRecord};
use tonearm_domain::{Ambient, Evidence, ObjectKey, StoreId, StoreMismatch};

use crate::processing::manifests;

/// The number of objects in the store to look up in the database.
const LISTED: usize = 500;
/// The number of tracks from each end of the database whose sources are looked up in the store.
const NAMED: u64 = 10;
/// The number of identities to read from the store. More than one is already a mismatch.
const FOUND: usize = 10;

/// Ties a database and an object store together.
#[derive(Clone)]
pub struct StoreIdentity {
    catalog: Catalog,
    blobs: Blobs,
    ambient: Ambient,
}

/// Why a database and a store could not be confirmed to belong together.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// They do not belong together.
    #[error(transparent)]
    Mismatch(#[from] StoreMismatch),
    /// The store is unavailable.
    #[error(transparent)]
    Store(#[from] BlobError),
    /// The database is unavailable.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

impl From<PutError> for IdentityError {
    fn from(error: PutError) -> Self {
        match error {
            PutError::Store(error) => Self::Store(error),
            // This put has no checks on the bytes that could fail.
            other => Self::Store(BlobError::from(std::io::Error::other(other))),
        }
    }
}

/// The identities that the database and the store hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreTie {
    /// The identity in the database.
    pub record: Option<StoreRecord>,
    /// The identities in the store.
    pub found: Vec<StoreId>,
}

impl StoreTie {
    /// The identity that both have. `None` if neither has one, or if it still has to be stored in the store.
    pub fn agreed(&self) -> Result<Option<StoreId>, StoreMismatch> {
        match (self.record, self.found.as_slice()) {
            (None, []) => Ok(None),
            (None, found) => Err(StoreMismatch::OtherDatabase { found: found.to_vec() }),
            (Some(record), []) if record.tied_at.is_none() => Ok(None),
            (Some(record), []) => Err(StoreMismatch::NoIdentity { expected: record.id }),
            (Some(record), [only]) if *only == record.id => Ok(Some(record.id)),
            (Some(record), found) => {
                Err(StoreMismatch::OtherStore { expected: record.id, found: found.to_vec() })
            }
        }
    }
}

impl StoreIdentity {
    /// Creates the check for this database and this store.
    pub fn new(catalog: Catalog, blobs: Blobs, ambient: Ambient) -> Self {
        Self { catalog, blobs, ambient }
    }

    /// Checks that the database and the store belong together. Ties them if neither has an identity and their contents
    /// match. Once they are tied, it takes one read of each.
    pub async fn establish(&self) -> Result<StoreId, IdentityError> {
        match self.try_to_establish().await {
            // Another node at its first start may have been between its two steps.
            Err(IdentityError::Mismatch(_)) => self.try_to_establish().await,
            other => other,
        }
    }

    async fn try_to_establish(&self) -> Result<StoreId, IdentityError> {
        // What is tied is never created: its disk may not be mounted.
        if self.catalog.store_record().await?.is_none_or(|record| record.tied_at.is_none()) {
            self.blobs.create().await?;
        }
        let tie = self.inspect().await?;
        let id = match tie.agreed()? {
            Some(id) => id,
            None => self.found_new(tie.record).await?,
        };
        if tie.record.is_none_or(|record| record.tied_at.is_none()) {
            self.record_tie(id).await?;
        }
        Ok(id)
    }

    /// Gives both an identity, if their contents match.
    async fn found_new(&self, record: Option<StoreRecord>) -> Result<StoreId, IdentityError> {
        let evidence = self.evidence().await?;
        if !evidence.is_sound() {
            return Err(StoreMismatch::Unrelated(evidence).into());
        }
        let id = match record {
            Some(record) => record.id,
            None => {
                let tx = self.catalog.begin().await?;
                let proposed = StoreId::new(self.ambient.short_id());
                let record = tx.propose_store_id(proposed, self.ambient.now()).await?;
                tx.commit().await?;
                record.id
            }
        };
        self.put(id).await?;
        tracing::info!(store = %id, "the database and the object store now share an identity");
        Ok(id)
    }

    async fn record_tie(&self, id: StoreId) -> Result<(), IdentityError> {
        let tx = self.catalog.begin().await?;
        if tx.tie_store(id, self.ambient.now()).await? {
            tx.commit().await?;
        }
        Ok(())
    }

    async fn put(&self, id: StoreId) -> Result<(), IdentityError> {
        let text = format!("{{\"store\":\"{id}\"}}\n");
        // Several nodes may store it at once. A node that fails must not remove the object that another one stored.
        self.blobs.put_repeatable(&id.object(), Bytes::from(text)).await?;
        Ok(())
    }

    /// Reads the identities of the database and the store. The database is read first: an identity is put into the
    /// store only after it is in the database.
    pub async fn inspect(&self) -> Result<StoreTie, IdentityError> {
        let record = self.catalog.store_record().await?;
        let listed = self.blobs.list(Some(ObjectKey::RESERVED), Some(StoreId::folder()));
        let ids = listed.try_filter_map(|(key, _)| std::future::ready(Ok(StoreId::of_object(&key))));
        let mut found: Vec<StoreId> = unless_absent(ids.take(FOUND).try_collect().await)?;
        found.sort_unstable();
        Ok(StoreTie { record, found })
    }

    /// Looks up a sample of the database's objects in the store, and of the store's objects in the database.
    pub async fn evidence(&self) -> Result<Evidence, IdentityError> {
        let named = self.catalog.sample_of_sources(NAMED).await?;
        let mut found = 0;
        for key in &named {
            found += usize::from(unless_absent(self.blobs.head(key).await)?.is_some());
        }
        let objects = self.blobs.list_after(None).map_ok(|(key, _)| key);
        let objects =
            objects.try_filter(|key| std::future::ready(key.organization_id != ObjectKey::RESERVED));
        let listed: Vec<ObjectKey> = unless_absent(objects.take(LISTED).try_collect().await)?;
        let known = self.catalog.known_objects(&listed).await?.len();
        Ok(Evidence { named: named.len(), found, listed: listed.len(), known })
    }

    /// Gives both a new identity, whatever they had before. From then on they belong to each other only. Reads the whole
    /// list of objects. After an interruption, it can be run again to completion.
    #[expect(clippy::disallowed_methods, reason = "no row refers to the object of an identity")]
    pub async fn adopt(&self) -> Result<StoreId, IdentityError> {
        self.blobs.create().await?;
        let id = StoreId::new(self.ambient.short_id());
        let tx = self.catalog.begin().await?;
        tx.replace_store_id(id, self.ambient.now()).await?;
        tx.commit().await?;
        self.put(id).await?;
        let others: Vec<ObjectKey> = self
            .blobs
            .list(Some(ObjectKey::RESERVED), Some(StoreId::folder()))
            .map_ok(|(key, _)| key)
            .try_filter(|key| std::future::ready(StoreId::of_object(key).is_some_and(|found| found != id)))
            .try_collect()
            .await?;
        self.blobs.delete_many(others).await?;
        self.overtake_manifests().await?;
        self.record_tie(id).await?;
        Ok(id)
    }

    /// Queues the manifests of all tracks of which the store has later ones, as another database wrote them.
    async fn overtake_manifests(&self) -> Result<(), IdentityError> {
        let mut batches = self.blobs.list_after(None).map_ok(|(key, _)| key).try_chunks(LISTED);
        while let Some(batch) = batches.next().await {
            let batch = batch.map_err(|error| error.1)?;
            let tx = self.catalog.begin().await?;
            manifests::queue_overtaken(&tx, &self.ambient, &batch).await?;
            tx.commit().await?;
        }
        Ok(())
    }
}

/// A folder that is not there has nothing in it.
fn unless_absent<T: Default>(result: Result<T, BlobError>) -> Result<T, BlobError> {
    match result {
        Err(error) if error.is_absent() => Ok(T::default()),
        other => other,
    }
}
