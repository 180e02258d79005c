//! A draft as a multipart upload. All parts have the same size, as some stores require. The bytes after the last part
//! are an object of their own until the next piece arrives.

use std::collections::BTreeMap;
use std::mem;

use async_trait::async_trait;
use bytes::Bytes;
use futures::TryStreamExt;
use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutPayload};
use tokio::task::{JoinSet, spawn_blocking};
use tonearm_domain::ObjectKey;

use super::bucket::S3Store;
use super::error::failure;
use super::waiting::in_time;
use crate::draft::{
    BucketDraft, DraftError, DraftNames, DraftState, DraftStore, NAMED_BY_BYTES, RunningDigest,
};
use crate::error::BlobError;
use crate::intake::Batch;
use crate::object::Stored;
use crate::store::Store as _;

/// The size of a part, in bytes. S3 allows 10,000 parts, so the largest object has 78 GiB.
const PART: usize = 8 * 1024 * 1024;
/// Parts being sent at once. This bounds the memory of a writer.
const PARTS_AT_ONCE: usize = 2;

/// The bytes after the last part, fewer than a whole part.
#[derive(Default)]
struct PartBuffer {
    batch: Batch,
    size: usize,
    /// How many of them, from the first, the digest already includes.
    hashed: usize,
}

pub(super) struct BucketWriter {
    store: S3Store,
    names: DraftNames,
    state: DraftState,
    digest: RunningDigest,
    buffer: PartBuffer,
    /// Whether `buffer` is the tail of `state` and nothing else.
    is_stored: bool,
    is_published: bool,
    sending: JoinSet<Result<(usize, String), BlobError>>,
    /// The ETags of parts after those of `state`.
    sent: BTreeMap<usize, String>,
    /// The number of parts, including those being sent.
    parts: usize,
    obsolete: Vec<ObjectKey>,
}

impl BucketWriter {
    pub(super) async fn open(
        store: S3Store,
        state: DraftState,
        names: DraftNames,
    ) -> Result<Self, DraftError> {
        let digest = state.running_digest().ok_or(DraftError::Lost)?;
        let parts = state.bucket.parts.len();
        let buffer = read_tail(&store, &state).await?;
        let is_published = buffer.is_none() && is_published(&store, &state).await?;
        if buffer.is_none() && !is_published {
            return Err(DraftError::Lost);
        }
        let buffer = buffer.unwrap_or_default();
        Ok(Self {
            store,
            names,
            state,
            digest,
            buffer,
            is_stored: true,
            is_published,
            sending: JoinSet::new(),
            sent: BTreeMap::new(),
            parts,
            obsolete: Vec::new(),
        })
    }

    async fn hash_buffer(&mut self) -> Result<(), DraftError> {
        let (mut digest, chunks) = (mem::take(&mut self.digest), self.buffer.take_unhashed());
        self.digest = spawn_blocking(move || {
            for chunk in &chunks {
                digest.update(chunk);
            }
            digest
        })
        .await?;
        Ok(())
    }

    /// The multipart upload, begun if necessary. `head` must contain the first bytes.
    async fn begin(&mut self, head: &[Bytes]) -> Result<(Path, String), DraftError> {
        let key = match &self.state.object {
            Some(key) => key.clone(),
            None => self.names.object(&first_of(head)),
        };
        let path = self.store.path(&key);
        let id = match &self.state.bucket.upload {
            Some(id) => id.clone(),
            None => {
                in_time(async { self.store.client.create_multipart(&path).await.map_err(failure) }).await?
            }
        };
        self.state.object = Some(key);
        self.state.bucket.upload = Some(id.clone());
        Ok((path, id))
    }

    async fn send_part(&mut self, part: Vec<Bytes>) -> Result<(), DraftError> {
        let (path, id) = self.begin(&part).await?;
        self.wait_for_fewer_than(PARTS_AT_ONCE).await?;
        let (client, index) = (self.store.client.clone(), self.parts);
        let payload: PutPayload = part.into_iter().collect();
        self.sending.spawn(async move {
            let part = client.put_part(&path, &id, index, payload).await.map_err(failure)?;
            Ok((index, part.content_id))
        });
        self.parts += 1;
        Ok(())
    }

    async fn wait_for_fewer_than(&mut self, count: usize) -> Result<(), DraftError> {
        while self.sending.len() >= count {
            match self.sending.join_next().await {
                Some(sent) => {
                    let (index, etag) = sent??;
                    self.sent.insert(index, etag);
                }
                None => break,
            }
        }
        Ok(())
    }

    async fn put_tail(&mut self) -> Result<(), DraftError> {
        let old = self.state.bucket.tail.take();
        if self.buffer.size > 0 {
            let tail = self.names.tail();
            let payload: PutPayload = self.buffer.all().into_iter().collect();
            let path = self.store.path(&tail);
            self.store.client.put(&path, payload).await.map_err(failure)?;
            self.state.bucket.tail = Some(tail);
        }
        self.obsolete.extend(old);
        Ok(())
    }

    /// Puts the object in one request, or completes the multipart upload with the remaining bytes as the last part.
    async fn finish(&mut self, key: &ObjectKey) -> Result<(), BlobError> {
        let last: PutPayload = self.buffer.all().into_iter().collect();
        let (client, path) = (&self.store.client, self.store.path(key));
        let BucketDraft { upload, parts, .. } = &self.state.bucket;
        let Some(id) = upload else {
            return client.put(&path, last).await.map_err(failure).map(drop);
        };
        let mut parts: Vec<_> = parts.iter().map(|etag| PartId { content_id: etag.clone() }).collect();
        if self.buffer.size > 0 {
            parts.push(client.put_part(&path, id, parts.len(), last).await.map_err(failure)?);
        }
        client.complete_multipart(&path, id, parts).await.map_err(failure).map(drop)
    }
}

#[async_trait]
impl DraftStore for BucketWriter {
    async fn write(&mut self, bytes: Bytes) -> Result<(), DraftError> {
        if self.is_published {
            return Err(DraftError::Lost);
        }
        let mut bytes = bytes;
        while !bytes.is_empty() {
            self.is_stored = false;
            let chunk = bytes.split_to(bytes.len().min(PART - self.buffer.size));
            self.buffer.push(chunk);
            if self.buffer.size == PART {
                self.hash_buffer().await?;
                let part = mem::take(&mut self.buffer).all();
                self.send_part(part).await?;
            }
        }
        Ok(())
    }

    async fn flush(&mut self) -> Result<DraftState, DraftError> {
        if self.is_stored {
            return Ok(self.state.clone());
        }
        self.wait_for_fewer_than(1).await?;
        self.hash_buffer().await?;
        self.state.bucket.parts.extend(mem::take(&mut self.sent).into_values());
        self.put_tail().await?;
        self.state.size = (self.parts * PART + self.buffer.size) as u64;
        self.state.save_digest(&self.digest);
        self.is_stored = true;
        Ok(self.state.clone())
    }

    async fn recorded(&mut self) {
        let obsolete = mem::take(&mut self.obsolete);
        if !obsolete.is_empty()
            && let Err(error) = self.store.delete_many(obsolete).await
        {
            // The sweep removes them.
            tracing::warn!(%error, "could not remove an obsolete piece of an upload");
        }
    }

    async fn settle(&mut self) -> Result<DraftState, DraftError> {
        self.flush().await?;
        if self.state.object.is_none() {
            self.state.object = Some(self.names.object(&first_of(&self.buffer.all())));
        }
        Ok(self.state.clone())
    }

    async fn publish(mut self: Box<Self>) -> Result<(ObjectKey, Stored), DraftError> {
        let key = self.state.object.clone().ok_or(DraftError::Lost)?;
        let stored = Stored { size: self.state.size, sha256: self.digest.clone().finish() };
        if self.is_published {
            return Ok((key, stored));
        }
        if let Err(error) = self.finish(&key).await {
            // An earlier attempt may have completed it, and its response was lost.
            if !is_published(&self.store, &self.state).await? {
                return Err(error.into());
            }
        }
        self.obsolete.extend(self.state.bucket.tail.clone());
        self.recorded().await;
        Ok((key, stored))
    }
}

impl PartBuffer {
    fn push(&mut self, chunk: Bytes) {
        self.size += chunk.len();
        self.batch.push(chunk);
    }

    fn all(&mut self) -> Vec<Bytes> {
        self.batch.chunks().to_vec()
    }

    /// The bytes that no earlier call returned.
    fn take_unhashed(&mut self) -> Vec<Bytes> {
        let mut skipped = mem::replace(&mut self.hashed, self.size);
        let mut unhashed = Vec::new();
        for mut chunk in self.all() {
            let behind = chunk.split_off(skipped.min(chunk.len()));
            skipped -= chunk.len();
            if !behind.is_empty() {
                unhashed.push(behind);
            }
        }
        unhashed
    }
}

/// The bytes after the last part; `None` if they are not in the store (any more).
async fn read_tail(store: &S3Store, state: &DraftState) -> Result<Option<PartBuffer>, BlobError> {
    let mut buffer = PartBuffer::default();
    if let Some(tail) = &state.bucket.tail {
        let Some(body) = store.get(tail, None).await? else { return Ok(None) };
        let mut chunks = body.stream;
        while let Some(chunk) = chunks.try_next().await? {
            buffer.push(chunk);
        }
        buffer.hashed = buffer.size;
    }
    let stored = (state.bucket.parts.len() * PART + buffer.size) as u64;
    Ok((stored == state.size).then_some(buffer))
}

/// The first bytes in one piece.
fn first_of(chunks: &[Bytes]) -> Vec<u8> {
    let mut first = Vec::new();
    for chunk in chunks {
        let missing = NAMED_BY_BYTES - first.len();
        first.extend_from_slice(&chunk[..chunk.len().min(missing)]);
    }
    first
}

async fn is_published(store: &S3Store, state: &DraftState) -> Result<bool, BlobError> {
    let Some(key) = &state.object else { return Ok(false) };
    Ok(store.head(key).await?.is_some_and(|meta| meta.size == state.size))
}

/// Removes the parts and the tail.
pub(super) async fn remove(store: &S3Store, state: DraftState) -> Result<(), BlobError> {
    if let (Some(key), Some(id)) = (&state.object, &state.bucket.upload) {
        let path = store.path(key);
        let abort = store.client.abort_multipart(&path, id);
        match in_time(async { Ok(abort.await) }).await? {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
            // Stores refuse to abort a completed upload with different errors.
            Err(error) if !is_published(store, &state).await? => return Err(failure(error)),
            Err(_) => {}
        }
    }
    store.delete_many(state.bucket.tail.into_iter().collect()).await
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_is_hashed_once(
            pieces in prop::collection::vec((0..6000_usize, any::<bool>()), 0..20),
        ) {
            let (mut buffer, mut hashed, mut whole) = (PartBuffer::default(), Vec::new(), Vec::new());
            for (number, (size, is_taken)) in pieces.into_iter().enumerate() {
                let chunk = vec![number as u8; size];
                whole.extend_from_slice(&chunk);
                buffer.push(chunk.into());
                if is_taken {
                    hashed.extend(buffer.take_unhashed().concat());
                }
            }
            hashed.extend(buffer.take_unhashed().concat());
            prop_assert_eq!(&hashed, &whole);
            prop_assert_eq!(buffer.all().concat(), whole);
            prop_assert_eq!(buffer.size, hashed.len());
        }
    }
}
