//! Copies an object from one store to another.

use futures::{StreamExt, TryStreamExt};
use sha2::{Digest, Sha256};
use std::time::Duration;
use tonearm_blobs::{BlobError, Blobs, BoxError, OnFailure, PutError, PutTerms};
use tonearm_domain::ObjectKey;

use super::error::BackupError;
use super::object_list::ListedObject;
use crate::inventory::{Rate, ReadFailures};

/// The number of attempts per copy.
const TRIES: u32 = 4;
/// The pause after the first failure; it doubles.
const PAUSE: Duration = Duration::from_secs(1);

/// The outcome of a copy.
pub(super) enum Transfer {
    /// The object was copied, and has this hash.
    Copied([u8; 32]),
    /// The object does not exist.
    Gone,
    /// The object does not have the length or the hash that it should have.
    Damaged,
    /// The object cannot be read, although others can.
    Unreadable,
}

/// Why a copy failed.
enum Failed {
    /// The object could not be read.
    Reading(BlobError),
    /// The object could not be stored.
    Writing(BlobError),
}

/// Two stores, with the errors to return if one of them fails.
pub(super) struct Route<'a> {
    pub(super) from: &'a Blobs,
    pub(super) from_failed: fn(BlobError) -> BackupError,
    pub(super) to: &'a Blobs,
    pub(super) to_failed: fn(BlobError) -> BackupError,
    pub(super) rate: &'a Rate,
    pub(super) read_failures: ReadFailures<'a>,
}

impl Route<'_> {
    /// Copies an object, and checks its length and, if known, its hash.
    pub(super) async fn copy(&self, object: &ListedObject) -> Result<Transfer, BackupError> {
        let mut pause = PAUSE;
        let mut tries = 1;
        let failed = loop {
            match self.try_to_copy(object).await {
                Ok(done) => {
                    self.read_failures.reset();
                    return Ok(done);
                }
                Err(failed) if tries == TRIES => break failed,
                Err(Failed::Reading(error) | Failed::Writing(error)) => {
                    tracing::debug!(key = %object.0, %error, "could not copy an object; trying again");
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                    tries += 1;
                }
            }
        };
        match failed {
            Failed::Writing(error) => Err((self.to_failed)(error)),
            Failed::Reading(error) => {
                tracing::debug!(key = %object.0, %error, "could not read an object");
                self.read_failures.tolerate(error).await.map_err(self.from_failed)?;
                Ok(Transfer::Unreadable)
            }
        }
    }

    async fn try_to_copy(&self, object: &ListedObject) -> Result<Transfer, Failed> {
        let ListedObject(key, size, _) = object;
        let body = match self.from.get(key, None).await {
            Ok(Some(body)) => body,
            Ok(None) => return Ok(Transfer::Gone),
            Err(BlobError::Corrupt) => return Ok(Transfer::Damaged),
            Err(error) => return Err(Failed::Reading(error)),
        };
        let chunks = body.stream.map_err(BoxError::from).and_then(|chunk| async {
            self.rate.take(chunk.len() as u64).await;
            Ok(chunk)
        });
        let terms = PutTerms {
            expected_size: Some(*size),
            expected_sha256: object.sha256(),
            on_failure: OnFailure::Leave,
            ..PutTerms::default()
        };
        match self.to.put(key, chunks.boxed(), terms).await {
            Ok(stored) => Ok(Transfer::Copied(stored.sha256)),
            Err(PutError::DigestMismatch | PutError::TooLarge { .. }) => Ok(Transfer::Damaged),
            Err(PutError::Store(error)) => Err(Failed::Writing(error)),
            Err(PutError::Interrupted(source)) => match source.downcast::<BlobError>() {
                Ok(error) if matches!(*error, BlobError::Corrupt) => Ok(Transfer::Damaged),
                Ok(error) => Err(Failed::Reading(*error)),
                // The object ended early.
                Err(_) => Ok(Transfer::Damaged),
            },
        }
    }
}

/// The hash of an existing object; `None` if it is missing or incomplete.
pub(super) async fn hash_of(
    blobs: &Blobs,
    key: &ObjectKey,
    rate: &Rate,
) -> Result<Option<[u8; 32]>, BlobError> {
    let Some(mut body) = blobs.get(key, None).await? else { return Ok(None) };
    let mut hash = Sha256::new();
    loop {
        match body.stream.try_next().await {
            Ok(Some(chunk)) => {
                rate.take(chunk.len() as u64).await;
                hash.update(&chunk);
            }
            Ok(None) => return Ok(Some(hash.finalize().into())),
            Err(BlobError::Corrupt) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
}
