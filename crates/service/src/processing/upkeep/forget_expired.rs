//! Removing rows whose time is over.

use crate::batches::{BATCH, in_batches};
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

impl Processing {
    /// Removes what has expired by now, in batches. A run that is interrupted leaves the rest to the next one.
    pub(in crate::processing) async fn forget_expired(&self, run: &JobRun) -> Result<(), JobError> {
        for (rows, until) in self.retention.expired(self.ambient.now()) {
            let removed = in_batches(&run.cancel, || self.catalog.delete_expired(rows, until, BATCH)).await?;
            match removed {
                None => return Err(JobError::Cancelled),
                Some(0) => {}
                Some(count) => tracing::info!(count, "removed expired {}", rows.as_str()),
            }
        }
        self.finish(&run.claimed).await
    }
}
