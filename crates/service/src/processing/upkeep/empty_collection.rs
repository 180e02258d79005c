//! Queue the purge of every track of a deleted collection, in batches.

use tokio::time::Instant;
use tonearm_catalog::{NewJob, Transaction};
use tonearm_domain::{CollectionId, Job, JobQueue, OrganizationId};

use crate::batches;
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks of one transaction.
const BATCH: u64 = 200;
/// How much tidying of one organization may be due when more of it is queued.
const MOST_AHEAD: u64 = 2000;
/// Seconds until more is queued where there was too much.
const LATER_SECONDS: i64 = 5;

impl Processing {
    /// Marks the tracks of a collection as deleted and queues their purges, which any node takes. The marks tell how far
    /// it has got, so a run that was killed goes on with those that are left. At the end the collection is purged.
    pub(in crate::processing) async fn empty_collection(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<(), JobError> {
        // Before any track is marked: from here on nobody takes the deletion back.
        let tx = self.catalog.begin().await?;
        if !tx.begin_purge_of_collection(organization_id, collection_id, self.ambient.now()).await? {
            // Brought back in the meantime, or deleted anew, which has a job of its own.
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

    /// Whether so much tidying of an organization is due that nothing should be added.
    pub(super) async fn has_enough_to_tidy(
        &self,
        tx: &Transaction,
        organization_id: OrganizationId,
    ) -> Result<bool, JobError> {
        let now = self.ambient.now();
        Ok(tx.has_due_jobs(JobQueue::Maintenance, organization_id, now, MOST_AHEAD).await?)
    }

    /// Ends a run that is to go on in a few seconds.
    pub(super) async fn go_on_later(&self, run: &JobRun, tx: Transaction) -> Result<(), JobError> {
        let run_at = self.ambient.now().plus_seconds(LATER_SECONDS);
        tx.enqueue(run.claimed.job.clone(), self.ambient.record_id(), run_at, None).await?;
        finish(&run.claimed, tx).await
    }
}
