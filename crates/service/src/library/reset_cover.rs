//! Removing the uploaded cover of a track.

use tonearm_domain::{AuditAction, CoverOrigin, CoverOwner, TrackId};

use super::{Library, covers};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

impl Library {
    /// Replaces an uploaded cover with the cover that the track would have without it: the art in its file, or a
    /// generated one. A job makes it. Until then, players show the cover of the collection or a generated one.
    pub async fn reset_cover(&self, caller: &Caller, id: TrackId) -> Result<(), Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let mut track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        if track.cover.is_none_or(|cover| cover.origin != CoverOrigin::Uploaded) {
            return Err(Refusal::Conflict {
                code: "no_uploaded_cover",
                message: "the track has no uploaded cover".to_owned(),
            });
        }
        // The run that processes it has already checked whether it has a cover.
        if track.status.is_processing() {
            return Err(Refusal::Conflict {
                code: "track_processing",
                message: "the track is being processed; reset its cover when it is ready".to_owned(),
            });
        }
        track.cover = None;
        track.theme.found.clear();
        tx.update_track(&track).await?;
        covers::queue_rest(&tx, &self.ambient, organization_id, CoverOwner::Track(id)).await?;
        let done =
            AuditedAction { action: AuditAction::TrackCover, subject_id: id.uuid(), title: &track.file_name };
        audit::record(&tx, &self.ambient, caller, done).await?;
        Ok(tx.commit().await?)
    }
}
