//! Listing play sessions, and ending them before they expire.

use tonearm_catalog::SessionPage;
use tonearm_domain::{AuditAction, CollectionId, PlaySession};
use uuid::Uuid;

use super::Playback;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

impl Playback {
    /// A page of the organization's valid play sessions, the newest first. Their ids are credentials; show their handles
    /// instead.
    pub async fn play_sessions(
        &self,
        caller: &Caller,
        page: SessionPage,
    ) -> Result<Vec<PlaySession>, Refusal> {
        caller.require_whole_organization()?;
        let now = self.0.ambient.now();
        Ok(self.0.lookups.catalog().play_sessions(caller.organization_id, page, now).await?)
    }

    /// Ends the play session with this id or handle, and returns it as it was. URLs that were signed for it stay valid
    /// until they expire.
    pub async fn end_play_session(&self, caller: &Caller, name: Uuid) -> Result<PlaySession, Refusal> {
        let (now, not_found) = (self.0.ambient.now(), Refusal::NotFound(Resource::PlaySession));
        let tx = self.0.lookups.catalog().begin().await?;
        let Some(session) = tx.play_session_to_end(caller.organization_id, name).await? else {
            return Err(not_found);
        };
        // A track may have moved to another collection since.
        let now_in = match session.track_id {
            Some(id) => tx.collection_of_track(session.organization_id, id).await?,
            None => None,
        };
        let collection_id = now_in.unwrap_or(session.collection_id);
        if !session.is_valid_at(now) || !reaches(caller, &session, collection_id) {
            return Err(not_found);
        }
        tx.end_play_session(session.id, now).await?;
        // The id of the session is a credential and stays out of the audit log.
        let subject_id = session.handle.map_or(session.collection_id.uuid(), |handle| handle.uuid());
        let done = AuditedAction { action: AuditAction::PlaySessionEnd, subject_id, title: "" };
        audit::record(&tx, &self.0.ambient, caller, done).await?;
        tx.commit().await?;
        Ok(session)
    }
}

/// Whether a caller reaches what a session plays, which is in this collection now.
pub(super) fn reaches(caller: &Caller, session: &PlaySession, collection_id: CollectionId) -> bool {
    match session.track_id {
        Some(track_id) => caller.scope.covers_track(collection_id, track_id),
        None => caller.scope.covers_collection(collection_id),
    }
}
