//! Reading the bytes of objects.

use futures::{StreamExt, TryStreamExt, stream};
use sha2::{Digest, Sha256};
use tonearm_blobs::BlobError;
use tonearm_catalog::{NamedKind, NamedObject};
use tonearm_domain::ObjectKey;

use super::finding::{FindingKind, Subject};
use super::{Run, VerifyError};
use crate::inventory::{TrackObject, WalkStep};

/// The number of objects that are read at once.
const AT_ONCE: usize = 4;

/// The result of reading an object.
enum Read {
    /// It was read to its end.
    Whole { size: u64, sha256: [u8; 32] },
    /// It ends early.
    Short,
    /// It does not exist.
    Missing,
    /// It cannot be read, although other objects can.
    Unreadable,
}

impl Run<'_> {
    /// Reads the objects that rows name, including former suspects that were cleared, and returns those with wrong
    /// bytes.
    pub(super) async fn read_all(
        &self,
        step: &WalkStep,
        cleared: &[&TrackObject],
    ) -> Result<Vec<Subject>, VerifyError> {
        let sound = step.objects.iter().filter(|stored| !stored.has_other_length);
        // A manifest may have been replaced by a later generation.
        let cleared = cleared.iter().copied().filter(|named| named.object.kind != NamedKind::Manifest);
        let objects = sound.filter_map(|stored| stored.named.as_ref()).chain(cleared);
        stream::iter(objects.map(|named| self.read_one(named)))
            .buffer_unordered(AT_ONCE)
            .try_filter_map(|found| std::future::ready(Ok(found)))
            .try_collect()
            .await
    }

    async fn read_one(&self, named: &TrackObject) -> Result<Option<Subject>, VerifyError> {
        match self.damage_read(&named.object).await? {
            Some((kind, found_size)) => self.confirmed(named.track, &named.object, kind, found_size).await,
            None => Ok(None),
        }
    }

    /// Reads an object, and returns what is wrong with its bytes, and their number.
    pub(super) async fn damage_read(
        &self,
        object: &NamedObject,
    ) -> Result<Option<(FindingKind, Option<u64>)>, BlobError> {
        let damage = match self.read(&object.key).await? {
            Read::Unreadable => (FindingKind::UnreadableObject, None),
            Read::Missing => (FindingKind::MissingObject, None),
            Read::Short => (FindingKind::WrongLength, None),
            Read::Whole { size, .. } if object.size.is_some_and(|expected| expected != size) => {
                (FindingKind::WrongLength, Some(size))
            }
            Read::Whole { size, sha256 } if object.sha256.is_some_and(|expected| expected != sha256) => {
                (FindingKind::WrongHash, Some(size))
            }
            Read::Whole { .. } => return Ok(None),
        };
        Ok(Some(damage))
    }

    async fn read(&self, key: &ObjectKey) -> Result<Read, BlobError> {
        let read = match self.try_to_read(key).await {
            Err(_) => self.try_to_read(key).await,
            read => read,
        };
        match read {
            Ok(read) => {
                self.reads.reset();
                Ok(read)
            }
            Err(error) => {
                self.reads.tolerate(error).await?;
                Ok(Read::Unreadable)
            }
        }
    }

    async fn try_to_read(&self, key: &ObjectKey) -> Result<Read, BlobError> {
        let mut body = match self.all.blobs.get(key, None).await {
            Ok(Some(body)) => body,
            Ok(None) => return Ok(Read::Missing),
            Err(BlobError::Corrupt) => return Ok(Read::Short),
            Err(error) => return Err(error),
        };
        let (mut size, mut hash) = (0, Sha256::new());
        loop {
            match body.stream.try_next().await {
                Ok(Some(chunk)) => {
                    self.bytes.take(chunk.len() as u64).await;
                    size += chunk.len() as u64;
                    hash.update(&chunk);
                }
                Ok(None) => return Ok(Read::Whole { size, sha256: hash.finalize().into() }),
                Err(BlobError::Corrupt) => return Ok(Read::Short),
                Err(error) => return Err(error),
            }
        }
    }
}
