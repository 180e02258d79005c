//! Deleting many tracks.

use tonearm_domain::{AuditAction, Job, UndoableChange};

use super::{Changed, SelectedTracks, keep_undo, lock};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::Library;
use crate::refusal::Refusal;

impl Library {
    /// Soft-deletes the tracks, as [`Library::delete_track`] does for one.
    pub async fn delete_tracks(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
    ) -> Result<Changed, Refusal> {
        let organization_id = caller.organization_id;
        let deletion = self.deletion(caller);
        let tx = self.catalog.begin().await?;
        let tracks = lock(&tx, caller, selected).await?;
        for track in &tracks {
            tx.soft_delete_track(organization_id, track.id, deletion).await?;
            let purge = Job::PurgeTrack { organization_id, track_id: track.id };
            tx.enqueue(purge, self.ambient.record_id(), deletion.purge_at(), None).await?;
            let done = AuditedAction {
                action: AuditAction::TrackDelete,
                subject_id: track.id.uuid(),
                title: &track.file_name,
            };
            audit::record(&tx, &self.ambient, caller, done).await?;
        }
        let change = UndoableChange::Deletion { tracks: selected.ids().to_vec() };
        let undo = keep_undo(&tx, &self.ambient, caller, change).await?;
        tx.commit().await?;
        Ok(Changed { count: tracks.len(), undo })
    }
}
