//! Removing the objects of a deleted collection itself.

use tonearm_domain::{CollectionId, Job, OrganizationId};

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

impl Processing {
    /// Removes everything in the collection's folder: its covers, including replaced ones. If it still has tracks, for
    /// example after a deletion by a node that runs an earlier version, they are purged first.
    pub(in crate::processing) async fn purge_collection(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> Result<(), JobError> {
        let objects = self.catalog.objects_of_deleted_collection(organization_id, collection_id).await?;
        let Some(objects) = objects else {
            return self.finish(&run.claimed).await;
        };
        let tx = self.catalog.begin().await?;
        if !tx.begin_purge_of_collection(organization_id, collection_id, self.ambient.now()).await? {
            return finish(&run.claimed, tx).await;
        }
        if tx.has_unmarked_tracks(collection_id).await? {
            let job = Job::EmptyCollection { organization_id, collection_id };
            tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), None).await?;
            return finish(&run.claimed, tx).await;
        }
        tx.commit().await?;
        if self.are_removals_held().await? {
            return self.put_off(run).await;
        }
        self.remove_unnamed(self.objects_in(organization_id, objects.folder).await?).await?;
        let tx = self.catalog.begin().await?;
        tx.purge_collection(organization_id, collection_id).await?;
        finish(&run.claimed, tx).await
    }
}
