//! Distinguishes one object that cannot be read, for instance because of a bad sector or a wrong permission, from a
//! store that is unavailable.

use std::sync::atomic::{AtomicU32, Ordering};

use futures::TryStreamExt;
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::ObjectKey;

/// The number of consecutive unreadable objects after which the store counts as failed, although it responds.
const MOST_IN_A_ROW: u32 = 100;

/// The outcome of a HEAD request.
pub(crate) enum HeadOutcome {
    Found(ObjectMeta),
    Missing,
    /// The request failed, although it succeeds for other objects.
    Unreadable,
}

/// Counts consecutive failures. Reads and HEAD requests need separate counters, as one may work while the other fails.
pub(crate) struct ReadFailures<'a> {
    blobs: &'a Blobs,
    in_a_row: AtomicU32,
}

impl<'a> ReadFailures<'a> {
    /// Counts failures of this store.
    pub(crate) fn of(blobs: &'a Blobs) -> Self {
        Self { blobs, in_a_row: AtomicU32::new(0) }
    }

    /// Records a success.
    pub(crate) fn reset(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
    }

    /// Requests the metadata of an object, and retries once. An error means that the store is unavailable.
    pub(crate) async fn head(&self, key: &ObjectKey) -> Result<HeadOutcome, BlobError> {
        let found = match self.blobs.head(key).await {
            Err(_) => self.blobs.head(key).await,
            found => found,
        };
        match found {
            Ok(found) => {
                self.reset();
                Ok(found.map_or(HeadOutcome::Missing, HeadOutcome::Found))
            }
            Err(error) => {
                tracing::debug!(%key, %error, "could not look at an object");
                self.tolerate(error).await?;
                Ok(HeadOutcome::Unreadable)
            }
        }
    }

    /// Records a failure. Returns it if the store is unavailable, and succeeds if only this object could not be read.
    pub(crate) async fn tolerate(&self, failure: BlobError) -> Result<(), BlobError> {
        if self.in_a_row.fetch_add(1, Ordering::Relaxed) >= MOST_IN_A_ROW {
            return Err(failure);
        }
        match self.blobs.list_after(None).try_next().await {
            Ok(_) => Ok(()),
            Err(_) => Err(failure),
        }
    }
}
