//! Removing the objects of a deleted track.

use futures::TryStreamExt;
use tonearm_domain::{ObjectKey, OrganizationId, ShortId, TrackId};

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing, finish};

impl Processing {
    /// Removes everything in the track's folder, including objects that a killed run left there.
    pub(in crate::processing) async fn purge_track(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        let Some(objects) = self.catalog.objects_of_deleted_track(organization_id, track_id).await? else {
            return self.finish(&run.claimed).await;
        };
        // Before anything is removed: from here on, the deletion can no longer be undone.
        let tx = self.catalog.begin().await?;
        if !tx.begin_purge_of_track(organization_id, track_id, self.ambient.now()).await? {
            // The track was restored in the meantime, or deleted again, which queued a job of its own.
            return finish(&run.claimed, tx).await;
        }
        tx.commit().await?;
        if self.are_removals_held().await? {
            return self.put_off(run).await;
        }
        // The rows of the track no longer count. Another track may share the source: the purge of the last one that has it
        // removes it.
        let mut keys = self.objects_in(organization_id, objects.folder).await?;
        keys.extend(objects.source.filter(|key| Some(key.folder) != objects.folder));
        // What another track can put back stays until the end of its day.
        let kept = self.catalog.kept_for_undo(&keys, track_id).await?;
        keys.retain(|key| !kept.contains(&key.to_string()));
        self.remove_unnamed(keys.clone()).await?;
        let tx = self.catalog.begin().await?;
        tx.forget_replaced_objects(&keys).await?;
        tx.purge_track(organization_id, track_id, self.ambient.now(), self.purged_titles).await?;
        finish(&run.claimed, tx).await
    }

    /// Every object in a folder. If it cannot be read which, a sweep finds them.
    pub(super) async fn objects_in(
        &self,
        organization_id: OrganizationId,
        folder: Option<ShortId>,
    ) -> Result<Vec<ObjectKey>, JobError> {
        let Some(folder) = folder else { return Ok(Vec::new()) };
        let listed = self.blobs.list(Some(organization_id), Some(folder));
        Ok(listed.map_ok(|(key, _)| key).try_collect().await?)
    }
}
