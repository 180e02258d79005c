//! Putting an object into the bucket.
//!
//! Each request that begins something in the bucket runs as a task of its own and returns a guard that undoes it. So
//! when the future of a put is dropped, each request still completes, and is then undone. A name is locked from the
//! first request of a put until it is kept or undone: a later put of the same name waits, so that it is not undone with
//! the earlier one.

use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use object_store::aws::AmazonS3;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};
use tokio::runtime::Handle;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};

use super::error::{failure, if_there};
use super::name_locks::{NameGuard, NameLocks};
use crate::error::{BlobError, PutError};
use crate::intake::{Digests, Intake};
use crate::object::{OnFailure, PutTerms, Stored};
use crate::store::Incoming;

/// The size of a part, in bytes. S3 allows 10,000 parts, so the largest object has 78 GiB. A body smaller than
/// one part is put in one request.
const PART: usize = 8 * 1024 * 1024;
/// Parts being sent at once. This bounds the memory of a put.
const PARTS_AT_ONCE: usize = 3;

/// The largest object that the bucket copies by itself, in bytes, so that its response arrives in time. Larger ones
/// pass through this process.
pub(super) const MOST_COPIED: u64 = 256 * 1024 * 1024;

pub(super) async fn put(
    client: &Arc<AmazonS3>,
    locks: &NameLocks,
    path: Path,
    body: Incoming<'_>,
    terms: PutTerms,
) -> Result<Stored, PutError> {
    let mut intake = Intake::new(body, terms);
    intake.check_announced()?;
    let first = intake.next_batch(PART).await?;
    let digests = Digests::new(&terms);
    let name = locks.lock(path).await?;
    let (published, stored) = if first.iter().map(Bytes::len).sum::<usize>() < PART {
        let stored = hash(digests, first.clone()).await?.finish(&terms)?;
        (put_whole(client, name, first, terms.on_failure).await?, stored)
    } else {
        let mut upload = Upload::begin(client, name, terms.on_failure).await?;
        let stored = put_parts(&mut upload, first, &mut intake, digests).await?.finish(&terms)?;
        (upload.complete().await?, stored)
    };
    published.keep();
    Ok(stored)
}

/// Has the bucket copy an object; `false` when there is no such object.
pub(super) async fn copy(
    client: &Arc<AmazonS3>,
    locks: &NameLocks,
    from: Path,
    to: Path,
) -> Result<bool, BlobError> {
    let name = locks.lock(to).await?;
    let published = Published::new(client, name, OnFailure::Remove);
    let copying = tokio::spawn(async move {
        let copied = published.client.copy(&from, published.name.path()).await;
        let is_there = if_there(copied).map_err(failure)?.is_some();
        Ok::<_, BlobError>((published, is_there))
    });
    let (published, is_there) = copying.await??;
    if is_there {
        published.keep();
    }
    Ok(is_there)
}

async fn put_whole(
    client: &Arc<AmazonS3>,
    name: NameGuard,
    bytes: Vec<Bytes>,
    on_failure: OnFailure,
) -> Result<Published, BlobError> {
    let published = Published::new(client, name, on_failure);
    tokio::spawn(async move {
        let put = published.client.put(published.name.path(), bytes.into_iter().collect());
        put.await.map_err(failure)?;
        Ok(published)
    })
    .await?
}

/// Sends all parts. Each one is hashed while it is sent and the next one arrives.
async fn put_parts(
    upload: &mut Upload,
    first: Vec<Bytes>,
    intake: &mut Intake<'_>,
    mut digests: Digests,
) -> Result<Digests, PutError> {
    let mut batch = first;
    while !batch.is_empty() {
        let part = mem::take(&mut batch);
        let hashing = hash(digests, part.clone());
        upload.send(part.into_iter().collect()).await?;
        batch = intake.next_batch(PART).await?;
        digests = hashing.await?;
    }
    upload.wait_for_fewer_than(1).await?;
    Ok(digests)
}

fn hash(mut digests: Digests, batch: Vec<Bytes>) -> JoinHandle<Digests> {
    spawn_blocking(move || {
        for chunk in &batch {
            digests.update(chunk);
        }
        digests
    })
}

/// An object that is, or may be, in the bucket. Dropping this deletes it unless it is kept.
struct Published {
    client: Arc<AmazonS3>,
    name: NameGuard,
    is_kept: bool,
}

impl Published {
    fn new(client: &Arc<AmazonS3>, name: NameGuard, on_failure: OnFailure) -> Self {
        Self { client: Arc::clone(client), name, is_kept: on_failure == OnFailure::Leave }
    }

    fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for Published {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        let (client, name) = (Arc::clone(&self.client), self.name.clone());
        in_background(async move {
            match client.delete(name.path()).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => {
                    let path = name.path();
                    tracing::warn!(%path, %error, "could not remove an unwanted object from the bucket")
                }
            }
        });
    }
}

/// A multipart upload. Dropping it aborts it unless it was completed.
struct Upload {
    inner: Option<Box<dyn MultipartUpload>>,
    parts: JoinSet<object_store::Result<()>>,
    client: Arc<AmazonS3>,
    name: NameGuard,
    on_failure: OnFailure,
}

impl Upload {
    async fn begin(
        client: &Arc<AmazonS3>,
        name: NameGuard,
        on_failure: OnFailure,
    ) -> Result<Self, BlobError> {
        let client = Arc::clone(client);
        tokio::spawn(async move {
            let inner = client.put_multipart(name.path()).await.map_err(failure)?;
            Ok(Self { inner: Some(inner), parts: JoinSet::new(), client, name, on_failure })
        })
        .await?
    }

    async fn send(&mut self, part: PutPayload) -> Result<(), BlobError> {
        self.wait_for_fewer_than(PARTS_AT_ONCE).await?;
        if let Some(inner) = &mut self.inner {
            self.parts.spawn(inner.put_part(part));
        }
        Ok(())
    }

    async fn wait_for_fewer_than(&mut self, count: usize) -> Result<(), BlobError> {
        while self.parts.len() >= count {
            match self.parts.join_next().await {
                Some(sent) => sent?.map_err(failure)?,
                None => break,
            }
        }
        Ok(())
    }

    /// Makes the object visible.
    async fn complete(mut self) -> Result<Published, BlobError> {
        tokio::spawn(async move {
            let published = Published::new(&self.client, self.name.clone(), self.on_failure);
            if let Some(inner) = &mut self.inner {
                inner.complete().await.map_err(failure)?;
            }
            drop(self.inner.take());
            Ok(published)
        })
        .await?
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let Some(mut inner) = self.inner.take() else {
            return;
        };
        let mut parts = mem::take(&mut self.parts);
        let name = self.name.clone();
        in_background(async move {
            // A part that arrives after the abort would stay.
            parts.shutdown().await;
            if let Err(error) = inner.abort().await {
                let path = name.path();
                tracing::warn!(%path, %error, "could not remove the parts of an aborted upload from the bucket");
            }
        });
    }
}

/// Outside a runtime, when the process is ending, the work is not done.
fn in_background(work: impl Future<Output = ()> + Send + 'static) {
    if let Ok(runtime) = Handle::try_current() {
        runtime.spawn(work);
    }
}
