//! A new source for a track that has one.

use tonearm_domain::{
    AuditAction, ErrorCode, Replacement, ReplacementId, ReplacementState, TextChanges, Track, TrackId,
    UPLOAD_URL_TTL_SECONDS,
};

use super::Library;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::delivery::UploadHandle;
use crate::refusal::{Refusal, Resource};
use crate::removal::remove_soon;

impl Library {
    /// Signs an upload URL for a new source of a track. The track keeps its files until all files have been made from
    /// the new source. An earlier replacement that still waits for its bytes is given up.
    pub async fn replace_source(
        &self,
        caller: &Caller,
        id: TrackId,
        file_name: Option<String>,
    ) -> Result<(Replacement, UploadHandle), Refusal> {
        if file_name.as_deref().is_some_and(|name| name.trim().is_empty()) {
            return Err(Refusal::invalid("file_name", "cannot be empty"));
        }
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        if track.source.is_none() {
            return Err(Refusal::Unprocessable {
                code: ErrorCode::NoSource,
                message: "the track has no source file yet; upload one before you replace it",
            });
        }
        let earlier = tx.replacement(organization_id, id).await?;
        if earlier.is_some_and(|earlier| earlier.state == ReplacementState::Processing) {
            return Err(Refusal::Conflict {
                code: ErrorCode::ReplacementInProgress,
                message: "another new source is being processed; wait until it is completed, or cancel it"
                    .to_owned(),
            });
        }
        let now = self.ambient.now();
        let replacement = Replacement {
            id: self.ambient.record_id(),
            organization_id,
            track_id: id,
            state: ReplacementState::Waiting,
            reason: None,
            file_name,
            source: None,
            former_file_name: None,
            text_changes: TextChanges::default(),
            created_at: now,
            expires_at: now.plus_seconds(UPLOAD_URL_TTL_SECONDS.into()),
            person_id: caller.origin.actor.person_id(),
            api_key_id: caller.origin.actor.api_key_id(),
        };
        tx.put_replacement(&replacement).await?;
        let done = audited(&track);
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let upload = self.links.replacement_upload(organization_id, id, replacement.id);
        Ok((replacement, upload))
    }

    /// The latest replacement of a track's source.
    pub async fn replacement(&self, caller: &Caller, id: TrackId) -> Result<Replacement, Refusal> {
        self.track(caller, id).await?;
        let found = self.catalog.replacement(caller.organization_id, id).await?;
        found.ok_or(Refusal::NotFound(Resource::Replacement))
    }

    /// Cancels the replacement of a track that has not ended, or only the one with this id: the track keeps its current
    /// source.
    pub async fn cancel_replacement(
        &self,
        caller: &Caller,
        id: TrackId,
        only: Option<ReplacementId>,
    ) -> Result<(), Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let found = tx.replacement(organization_id, id).await?;
        let found = found.filter(|found| only.is_none_or(|only| found.id == only));
        let replacement = found.ok_or(Refusal::NotFound(Resource::Replacement))?;
        if !replacement.is_open() {
            return Err(ended(&replacement));
        }
        tx.delete_replacement(id, replacement.id).await?;
        let unused: Vec<_> = replacement.source.into_iter().map(|source| (source.key, source.size)).collect();
        remove_soon(&tx, &self.ambient, organization_id, &unused).await?;
        audit::record(&tx, &self.ambient, caller, audited(&track)).await?;
        Ok(tx.commit().await?)
    }
}

fn ended(replacement: &Replacement) -> Refusal {
    let message = match replacement.state {
        ReplacementState::Failed => "the replacement has failed; the track has the file that it had",
        ReplacementState::Completed => "the replacement is completed; for a day, it can be undone",
        _ => "the former file is being put back, which cannot be cancelled; wait until it is completed",
    };
    Refusal::Conflict { code: ErrorCode::ReplacementEnded, message: message.to_owned() }
}

pub(crate) fn audited(track: &Track) -> AuditedAction<'_> {
    AuditedAction {
        action: AuditAction::TrackReplaceSource,
        subject_id: track.id.uuid(),
        title: &track.file_name,
    }
}
