//! Removing expired rows.

use crate::batches::{BATCH, in_batches};
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};
use crate::uploads::remove_upload_bytes;

/// Uploads that are read at once.
const UPLOADS: u64 = 100;
/// Replaced objects that are removed at once.
const OBJECTS: u64 = 500;

impl Processing {
    /// Removes expired rows, in batches. If a run is interrupted, the next one removes the rest.
    pub(in crate::processing) async fn forget_expired(&self, run: &JobRun) -> Result<(), JobError> {
        for (rows, until) in self.retention.expired(self.ambient.now()) {
            let removed = in_batches(&run.cancel, || self.catalog.delete_expired(rows, until, BATCH)).await?;
            match removed {
                None => return Err(JobError::Cancelled),
                Some(0) => {}
                Some(count) => tracing::info!(count, "removed expired {}", rows.as_str()),
            }
        }
        self.forget_uploads(run).await?;
        self.remove_replaced(run).await?;
        self.finish(&run.claimed).await
    }

    /// Removes the old objects of tracks whose source was replaced a day ago. A source that other tracks share stays.
    async fn remove_replaced(&self, run: &JobRun) -> Result<(), JobError> {
        loop {
            if self.are_removals_held().await? {
                return Ok(());
            }
            let tx = self.begin_batch(run).await?;
            let replaced = tx.take_replaced_objects(self.ambient.now(), OBJECTS).await?;
            tx.commit().await?;
            let count = replaced.len() as u64;
            self.remove_unnamed(replaced).await?;
            if count < OBJECTS {
                return Ok(());
            }
        }
    }

    /// Removes uploads that were not continued in time, with their bytes.
    async fn forget_uploads(&self, run: &JobRun) -> Result<(), JobError> {
        loop {
            let expired = self.catalog.expired_uploads(self.ambient.now(), UPLOADS).await?;
            for upload in &expired {
                let tx = self.begin_batch(run).await?;
                if let Some(upload) = tx.delete_expired_upload(upload.id, self.ambient.now()).await? {
                    tx.commit().await?;
                    remove_upload_bytes::<JobError>(&self.catalog, &self.blobs, upload).await?;
                }
            }
            if (expired.len() as u64) < UPLOADS {
                return Ok(());
            }
        }
    }
}
