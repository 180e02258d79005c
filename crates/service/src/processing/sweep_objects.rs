//! Remove objects that no row speaks of. What nodes tell each other through the store is not among them.

use futures::{StreamExt, TryStreamExt};
use tonearm_domain::ObjectKey;

use super::{JobError, JobRun, Processing};

/// Younger objects may belong to an upload whose row is about to be committed.
const GRACE_SECONDS: i64 = 24 * 3600;

/// Keys that are looked up at once.
const BATCH: usize = 500;

impl Processing {
    /// Goes through the store in batches and removes what is old and unknown to the catalog: what is left of
    /// uploads and renderings whose process was killed between the object and its row.
    pub(super) async fn sweep_objects(&self, run: &JobRun) -> Result<(), JobError> {
        let oldest_spared = self.ambient.now().plus_seconds(-GRACE_SECONDS);
        let mut removed = 0;
        let mut batches = self
            .blobs
            .list(None, None)
            .try_filter(|(key, meta)| {
                let is_reserved = key.organization_id == ObjectKey::RESERVED;
                futures::future::ready(!is_reserved && meta.modified < oldest_spared)
            })
            .map_ok(|(key, _)| key)
            .try_chunks(BATCH);
        while let Some(batch) = batches.next().await {
            if run.cancel.is_cancelled() {
                return Err(JobError::Cancelled);
            }
            let batch: Vec<ObjectKey> = batch.map_err(|error| JobError::from(error.1))?;
            let known = self.catalog.known_objects(&batch).await?;
            let unknown: Vec<ObjectKey> = batch.into_iter().filter(|key| !known.contains(key)).collect();
            removed += unknown.len();
            self.blobs.delete_many(unknown).await?;
        }
        if removed > 0 {
            tracing::info!(removed, "removed objects that no row speaks of");
        }
        self.finish(&run.claimed).await
    }
}
