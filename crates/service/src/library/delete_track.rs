//! Soft deletion of a track.

use tonearm_domain::{AuditAction, Job, TrackId};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView};

impl Library {
    /// Soft-deletes a track with its files and variants, and queues the removal of its objects: at once, or, if a
    /// person deleted it, for the time when the deletion can no longer be undone.
    pub async fn delete_track(&self, caller: &Caller, id: TrackId) -> Result<TrackView, Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let track = tx.track_to_end(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, track.id)?;
        let deletion = self.deletion(caller);
        tx.soft_delete_track(organization_id, id, deletion).await?;
        let purge = Job::PurgeTrack { organization_id, track_id: id };
        tx.enqueue(purge, self.ambient.record_id(), deletion.purge_at(), None).await?;
        let done = AuditedAction {
            action: AuditAction::TrackDelete,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        let parents = TrackParents::of_deleted(&tx, &track).await?;
        let parents = parents.ok_or(Refusal::NotFound(Resource::Collection))?;
        tx.commit().await?;
        Ok(parents.view(track))
    }
}
