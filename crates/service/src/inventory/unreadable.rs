//! Telling one object that cannot be read or looked at, such as one on a bad sector or with a wrong permission, from a store
//! that is away.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::TryStreamExt;
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::ObjectKey;

/// So many objects in a row that cannot be read are a failure of the store, although it answers.
const MOST_IN_A_ROW: u32 = 100;

/// What a look at an object showed.
pub(crate) enum Look {
    Found(ObjectMeta),
    Missing,
    /// It cannot be looked at, although others can.
    Unreadable,
}

/// Objects of a store that cannot be read. Reads and looks are counted apart: where the one works, the other may not.
pub(crate) struct Unreadable<'a> {
    blobs: &'a Blobs,
    in_a_row: AtomicU32,
}

impl<'a> Unreadable<'a> {
    /// Of this store.
    pub(crate) fn of(blobs: &'a Blobs) -> Self {
        Self { blobs, in_a_row: AtomicU32::new(0) }
    }

    /// Notes that an object was read.
    pub(crate) fn forget(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
    }

    /// Looks at an object, and once more if that fails. An error means that the store is away.
    pub(crate) async fn look(&self, key: &ObjectKey) -> Result<Look, BlobError> {
        let found = match self.blobs.head(key).await {
            Err(_) => self.blobs.head(key).await,
            found => found,
        };
        match found {
            Ok(found) => {
                self.forget();
                Ok(found.map_or(Look::Missing, Look::Found))
            }
            Err(error) => {
                tracing::debug!(%key, %error, "could not look at an object");
                self.only_one(error).await?;
                Ok(Look::Unreadable)
            }
        }
    }

    /// Succeeds if only one object could not be read, and gives the failure back if the store is away.
    pub(crate) async fn only_one(&self, failure: BlobError) -> Result<(), BlobError> {
        if self.in_a_row.fetch_add(1, Ordering::Relaxed) >= MOST_IN_A_ROW {
            return Err(failure);
        }
        match self.blobs.list_after(None).try_next().await {
            Ok(_) => Ok(()),
            Err(_) => Err(failure),
        }
    }
}
