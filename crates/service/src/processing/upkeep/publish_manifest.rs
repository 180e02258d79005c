//! Telling nodes without a catalog which objects a track's durable names stand for.

use bytes::Bytes;
use futures::TryStreamExt;
use tonearm_catalog::NextManifest;
use tonearm_domain::{Generation, OrganizationId, TrackId, TrackManifest};

use crate::processing::job_error::JobError;
use crate::processing::runner::{JobRun, Processing};

/// Tracks that are read at once.
const BATCH: u64 = 200;

impl Processing {
    /// Puts the next generation of a track's manifest into the store, and removes the previous one.
    ///
    /// A generation names the objects that were recorded when it was begun, and objects are stored before they are
    /// recorded. So a manifest never names an object that does not exist yet. A worker that was suspended may put an
    /// old generation, which no node reads.
    pub(in crate::processing) async fn publish_manifest(
        &self,
        run: &JobRun,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> Result<(), JobError> {
        self.publish(organization_id, track_id).await?;
        self.finish(&run.claimed).await
    }

    /// Does the same for all tracks whose manifest was never written.
    pub(in crate::processing) async fn publish_manifests(&self, run: &JobRun) -> Result<(), JobError> {
        let mut after = None;
        loop {
            let tracks = self.catalog.tracks_without_manifest(after, BATCH).await?;
            for &(organization_id, track_id) in &tracks {
                if run.cancel.is_cancelled() {
                    return Err(JobError::Cancelled);
                }
                self.publish(organization_id, track_id).await?;
                after = Some(track_id);
            }
            if tracks.is_empty() {
                return self.finish(&run.claimed).await;
            }
        }
    }

    async fn publish(&self, organization_id: OrganizationId, track_id: TrackId) -> Result<(), JobError> {
        let mut above = None;
        loop {
            let tx = self.catalog.begin().await?;
            let Some(next) = tx.next_manifest(organization_id, track_id, above).await? else { return Ok(()) };
            tx.commit().await?;
            above = self.last_generation(organization_id, &next).await?;
            if above < Some(next.generation) {
                return self.put_manifest(organization_id, next).await;
            }
        }
    }

    /// The latest generation in the store. It is later than the one that is about to be put if the database lost
    /// transactions, and nodes without a catalog would prefer it for ever.
    async fn last_generation(
        &self,
        organization_id: OrganizationId,
        next: &NextManifest,
    ) -> Result<Option<Generation>, JobError> {
        let mut listed = self.blobs.list(Some(organization_id), Some(next.folder));
        let mut last = None;
        while let Some((key, _)) = listed.try_next().await? {
            // A file of a variant may look like a manifest.
            if !next.manifest.contains(&key.file) {
                last = last.max(TrackManifest::generation(&key));
            }
        }
        Ok(last)
    }

    async fn put_manifest(
        &self,
        organization_id: OrganizationId,
        next: NextManifest,
    ) -> Result<(), JobError> {
        let json = serde_json::to_vec(&next.manifest).map_err(JobError::internal)?;
        let key = |generation| TrackManifest::key(organization_id, next.folder, generation);
        self.blobs.put_bytes(&key(next.generation), Bytes::from(json)).await?;
        // Otherwise, the sweep removes it.
        let previous = next.generation.previous();
        if let Some(previous) = previous
            && !self.are_removals_held().await?
        {
            self.remove_unnamed(vec![key(previous)]).await?;
        }
        Ok(())
    }
}
