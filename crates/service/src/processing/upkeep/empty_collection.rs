//! Queueing the purge of every track of a deleted collection, in batches.

use tokio::time::Instant;
use tonearm_catalog::{NewJob, Transaction};
use tonearm_domain::{CollectionId, Job, JobQueue, OrganizationId};

use crate::batches;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks in one transaction.
const BATCH: u64 = 200;
/// No more maintenance jobs are queued for an organization while this many are due.
const MOST_AHEAD: u64 = 2000;
/// Seconds to wait before more are queued if too many are due.
const LATER_SECONDS: i64 = 5;

impl Processing {
    /// Marks the tracks of a collection as deleted and queues their purges, which any node takes. The marks record the
    /// progress, so after a run was killed, the next one continues with the remaining tracks. At the end, the
    /// collection is purged.
    pub(in crate::processing) async fn empty_collection(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<(), JobError> {
        // Before any track is marked: from here on, the deletion can no longer be undone.
        let tx = self.catalog.begin().await?;
        if !tx.begin_purge_of_collection(organization_id, collection_id, self.ambient.now()).await? {
            // The collection was restored in the meantime, or deleted again, which queued a job of its own.
            return finish(&run.claimed, tx).await;
        }
        tx.commit().await?;
        loop {
            let began = Instant::now();
            let tx = self.begin_batch(run).await?;
            if self.has_enough_to_tidy(&tx, organization_id).await? {
                return self.go_on_later(run, tx).await;
            }
            let now = self.ambient.now();
            let tracks = tx.mark_tracks_for_purge(collection_id, now, BATCH).await?;
            if tracks.is_empty() {
                let job = Job::PurgeCollection { organization_id, collection_id };
                tx.enqueue(job, self.ambient.record_id(), now, None).await?;
                return finish(&run.claimed, tx).await;
            }
            let purges = tracks.into_iter().map(|track_id| {
                NewJob::new(Job::PurgeTrack { organization_id, track_id }, self.ambient.record_id(), now)
            });
            tx.enqueue_all(purges.collect()).await?;
            tx.commit().await?;
            batches::rest(&run.cancel, began).await;
        }
    }

    /// Whether so many maintenance jobs of an organization are due that no more should be queued.
    pub(super) async fn has_enough_to_tidy(
        &self,
        tx: &Transaction,
        organization_id: OrganizationId,
    ) -> Result<bool, JobError> {
        let now = self.ambient.now();
        Ok(tx.has_due_jobs(JobQueue::Maintenance, organization_id, now, MOST_AHEAD).await?)
    }

    /// Ends a run that continues in a few seconds.
    pub(super) async fn go_on_later(&self, run: &JobRun, tx: Transaction) -> Result<(), JobError> {
        let run_at = self.ambient.now().plus_seconds(LATER_SECONDS);
        tx.enqueue(run.claimed.job.clone(), self.ambient.record_id(), run_at, None).await?;
        finish(&run.claimed, tx).await
    }
}
