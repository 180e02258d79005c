//! Queueing again the jobs that the tracks of a restored collection wait for, in batches.

use tonearm_domain::{CollectionId, Derived, Job, OrganizationId, TrackId};

use crate::library::{derived, resume};
use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

/// Tracks in one transaction.
const BATCH: u64 = 200;

impl Processing {
    /// First restores the tracks that an earlier version marked together with the collection, then queues the jobs of
    /// tracks that wait for one. Stops if the collection is deleted again: its next restoration then continues, and its
    /// purge also removes tracks that are still marked.
    pub(in crate::processing) async fn resume_collection(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        collection_id: CollectionId,
        cursor: Option<TrackId>,
    ) -> Result<(), JobError> {
        loop {
            let tx = self.begin_batch(run).await?;
            match tx.restore_marked_tracks(organization_id, collection_id, BATCH).await? {
                Some(0) => break,
                Some(_) => tx.commit().await?,
                None => {
                    drop(tx);
                    return self.finish(&run.claimed).await;
                }
            }
        }
        let mut cursor = cursor;
        loop {
            let tx = self.begin_batch(run).await?;
            let tracks = tx.waiting_tracks(collection_id, cursor, BATCH).await?;
            let Some(last) = tracks.last() else {
                // Nothing was made for the tracks while they were deleted.
                let things = Derived::ALL.to_vec();
                derived::queue_all(&tx, &self.ambient, organization_id, Some(collection_id), things).await?;
                return finish(&run.claimed, tx).await;
            };
            cursor = Some(last.id);
            for track in &tracks {
                resume(&tx, &self.ambient, track).await?;
            }
            // A track whose jobs are queued twice is processed once, but the jobs of killed runs should not accumulate.
            if !tx
                .update_job(&run.claimed, &Job::ResumeCollection { organization_id, collection_id, cursor })
                .await?
            {
                return Err(JobError::LeaseLost);
            }
            tx.commit().await?;
        }
    }
}
