//! Usage counts of nodes without a catalog, passed through the store.

use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream};
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_domain::{ContentType, ObjectFile, ObjectKey, ScheduledTask, ShortId, UsageBatch, VariantIndex};

use super::Usage;
use crate::refusal::Refusal;

/// The folder in which batches wait.
const FOLDER: &str = "usagebatches";

/// The largest batch that is read, in bytes: about 200,000 entries.
pub(super) const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// The most batches that are added in one pass, so that the pass ends in time.
const MOST_BATCHES: usize = 1000;

/// The most batches that are added in one transaction, and the most entries in all of them together.
const MOST_TOGETHER: usize = 100;
const MOST_ENTRIES_TOGETHER: usize = 3000;

/// The number of batches that are fetched at the same time: a request to a bucket takes some milliseconds, mostly spent
/// waiting.
const FETCHED_AT_ONCE: usize = 8;

fn folder() -> ShortId {
    FOLDER.parse().expect("twelve letters are a short id")
}

/// The name is derived from the id of the batch, so that a batch that is put again gets the same key.
fn key(batch: &UsageBatch) -> ObjectKey {
    let random = batch.id.uuid().as_u64_pair().1.to_be_bytes();
    let file = ObjectFile {
        label: VariantIndex::from_static("batch"),
        version: ShortId::from_random(random),
        content_type: ContentType::Json,
    };
    ObjectKey { organization_id: ObjectKey::RESERVED, folder: folder(), file }
}

pub(super) async fn put(blobs: &Blobs, batch: &UsageBatch) -> Result<(), Refusal> {
    let json = serde_json::to_vec(batch).map_err(|error| Refusal::Internal(error.into()))?;
    // After a failure, it is put again under the same name. Anything that the first attempt stored has the same
    // contents.
    match blobs.put_repeatable(&key(batch), Bytes::from(json)).await {
        Ok(_) => Ok(()),
        Err(error) => Err(Refusal::Unavailable(error.into())),
    }
}

impl Usage {
    /// Like [`Usage::add_stored`], once for all nodes. Also sums counts added by nodes that run an earlier version.
    pub async fn import(&self, blobs: &Blobs) -> Result<(), Refusal> {
        if self.catalog.take_task(ScheduledTask::ImportUsage, self.ambient.now()).await? {
            self.add_stored(blobs).await?;
            let days = self.catalog.sum_foreign_usage().await?;
            if days > 0 {
                tracing::info!(days, "summed usage that an earlier version added");
            }
        }
        Ok(())
    }

    /// Adds the batches that nodes without a catalog left in the store, then removes them. Returns the number of
    /// batches added. Several nodes may do this at once, and it may be interrupted at any point.
    pub async fn add_stored(&self, blobs: &Blobs) -> Result<usize, Refusal> {
        let mut found = Vec::new();
        let mut listed = blobs.list(Some(ObjectKey::RESERVED), Some(folder()));
        while let Some((key, meta)) = listed.try_next().await? {
            found.push((key, meta));
            if found.len() == MOST_BATCHES {
                break;
            }
        }
        drop(listed);
        let moments = || found.iter().map(|(_, meta)| meta.modified.unix_millis());
        tonearm_telemetry::found_stored_usage(moments().min());
        // The age of batches left for the next pass is not known. They are assumed to be as old as the latest of these.
        let left = if found.len() == MOST_BATCHES { moments().max() } else { None };
        let mut fetched = stream::iter(found)
            .map(|(key, meta)| fetch(blobs, key, meta))
            .buffered(FETCHED_AT_ONCE)
            .try_filter_map(|fetched| std::future::ready(Ok(fetched)));
        let (mut added, mut entries, mut together) = (0, 0, Vec::new());
        while let Some((key, batch)) = fetched.try_next().await? {
            entries += batch.entries.len() + batch.listeners.len();
            together.push((key, batch));
            if together.len() >= MOST_TOGETHER || entries >= MOST_ENTRIES_TOGETHER {
                added += self.add_together(blobs, std::mem::take(&mut together)).await?;
                entries = 0;
            }
        }
        added += self.add_together(blobs, together).await?;
        tonearm_telemetry::found_stored_usage(left);
        Ok(added)
    }

    /// Adds batches in one transaction and removes them. If that fails, adds them one by one, so that a batch that
    /// cannot be added does not keep those before it from being counted.
    #[expect(clippy::disallowed_methods, reason = "no row refers to a batch")]
    async fn add_together(
        &self,
        blobs: &Blobs,
        together: Vec<(ObjectKey, UsageBatch)>,
    ) -> Result<usize, Refusal> {
        if together.is_empty() {
            return Ok(0);
        }
        let (keys, batches): (Vec<ObjectKey>, Vec<UsageBatch>) = together.into_iter().unzip();
        match self.catalog.add_usage_of_many(&batches, self.ambient.now()).await {
            Ok(added) => {
                blobs.delete_many(keys).await?;
                Ok(added)
            }
            Err(_) => {
                let mut added = 0;
                for (key, batch) in keys.iter().zip(&batches) {
                    added += usize::from(self.add(batch).await?);
                    blobs.delete(key).await?;
                }
                Ok(added)
            }
        }
    }
}

/// A batch with its key. `None` if it no longer exists or is not a valid batch.
async fn fetch(
    blobs: &Blobs,
    key: ObjectKey,
    meta: ObjectMeta,
) -> Result<Option<(ObjectKey, UsageBatch)>, BlobError> {
    if meta.size > MOST_BYTES {
        tracing::error!(%key, size = meta.size, "ignoring a usage batch that is too large");
        return Ok(None);
    }
    let Some(json) = read(blobs, &key).await? else {
        return Ok(None);
    };
    let Ok(batch) = serde_json::from_slice(&json) else {
        tracing::error!(%key, "ignoring a usage batch that cannot be parsed");
        return Ok(None);
    };
    Ok(Some((key, batch)))
}

async fn read(blobs: &Blobs, key: &ObjectKey) -> Result<Option<Bytes>, BlobError> {
    let Some(body) = blobs.get(key, None).await? else {
        return Ok(None);
    };
    let bytes: BytesMut = body.stream.try_collect().await?;
    Ok(Some(bytes.freeze()))
}
