//! Processing once more what failed.

use tonearm_domain::{AuditAction, Job, TrackId};

use super::Library;
use crate::audit::{self, Done};
use crate::track_view::Surroundings;
use crate::{Caller, Noun, Refusal, TrackView};

impl Library {
    /// Processes a failed track once more. Only what is missing is made; files that are there stay.
    pub async fn retry_track(&self, caller: &Caller, id: TrackId) -> Result<TrackView, Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
        caller.reach_track(track.collection_id, id)?;
        if track.source.is_none() {
            return Err(Refusal::Unprocessable {
                code: "no_source",
                message: "the track has no source file; upload it as a new track",
            });
        }
        track.status = track
            .status
            .retry()
            .map_err(|error| Refusal::Conflict { code: "track_status", message: error.to_string() })?;
        track.status_reason = None;
        tx.delete_failed_files(id).await?;
        tx.update_track(&track).await?;
        let job = Job::ProcessTrack { organization_id, track_id: id };
        tx.enqueue(job, self.ambient.record_id(), self.ambient.now(), None).await?;
        let done = Done { action: AuditAction::TrackRetry, subject_id: id.uuid(), title: &track.file_name };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let surroundings = Surroundings::of(&self.catalog, organization_id, track.collection_id).await?;
        Ok(surroundings.view(track))
    }
}
