//! Postponing removals while a backup copies objects.

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};
use tonearm_domain::RemovalHold;

impl Processing {
    /// Whether objects that no row names any more must stay for now, because a backup may be about to copy them. Must
    /// be called after the rows were changed.
    pub(in crate::processing) async fn are_removals_held(&self) -> Result<bool, JobError> {
        Ok(self.catalog.are_removals_held(self.ambient.now()).await?)
    }

    /// Ends a run and queues another job that does its work later.
    pub(super) async fn put_off(&self, run: &JobRun) -> Result<(), JobError> {
        let later = self.ambient.now().plus_seconds(RemovalHold::PUT_OFF_SECONDS);
        let tx = self.catalog.begin().await?;
        tx.enqueue(run.claimed.job.clone(), self.ambient.record_id(), later, None).await?;
        finish(&run.claimed, tx).await
    }
}
