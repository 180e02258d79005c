//! A new source for a track that has one.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, ErrorCode, Job, REPLACED_FILES_SECONDS, Replacement, ReplacementState, TextChanges, Track,
    TrackId, UPLOAD_URL_TTL_SECONDS,
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

    /// Cancels a replacement that has not ended: the track keeps its current source. One that is completed is undone, as
    /// long as the former source is kept: returns the replacement that puts it back.
    pub async fn cancel_replacement(
        &self,
        caller: &Caller,
        id: TrackId,
    ) -> Result<Option<Replacement>, Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let found = tx.replacement(organization_id, id).await?;
        let replacement = found.ok_or(Refusal::NotFound(Resource::Replacement))?;
        let undoing = match replacement.state {
            // The request was repeated.
            ReplacementState::Processing if replacement.is_undo() => return Ok(Some(replacement)),
            ReplacementState::Waiting | ReplacementState::Processing => {
                tx.delete_replacement(id, replacement.id).await?;
                let unused: Vec<_> =
                    replacement.source.into_iter().map(|source| (source.key, source.size)).collect();
                remove_soon(&tx, &self.ambient, organization_id, &unused).await?;
                None
            }
            state => Some(self.put_back(&tx, caller, replacement).await?.ok_or_else(|| ended(state))?),
        };
        audit::record(&tx, &self.ambient, caller, audited(&track)).await?;
        tx.commit().await?;
        Ok(undoing)
    }

    /// Begins to put the former source of a completed replacement back. `None` if it is no longer kept.
    async fn put_back(
        &self,
        tx: &Transaction,
        caller: &Caller,
        completed: Replacement,
    ) -> Result<Option<Replacement>, Refusal> {
        let now = self.ambient.now();
        let Some(undoing) = completed.undone(self.ambient.record_id(), now) else { return Ok(None) };
        let Some(source) = &undoing.source else { return Ok(None) };
        // Whoever removes objects takes their rows first.
        if !tx.keep_replaced_object(&source.key, now.plus_seconds(REPLACED_FILES_SECONDS)).await? {
            return Ok(None);
        }
        let actor = &caller.origin.actor;
        let (person_id, api_key_id) = (actor.person_id(), actor.api_key_id());
        let undoing = Replacement { person_id, api_key_id, ..undoing };
        tx.put_replacement(&undoing).await?;
        let Replacement { organization_id, track_id, id: replacement_id, .. } = undoing;
        let job = Job::ReplaceSource { organization_id, track_id, replacement_id };
        tx.enqueue(job, self.ambient.record_id(), now, None).await?;
        Ok(Some(undoing))
    }
}

fn ended(state: ReplacementState) -> Refusal {
    let message = match state {
        ReplacementState::Failed => "the replacement has failed; the track has the file that it had",
        _ => "the replacement is completed, and the former file is no longer kept",
    };
    Refusal::Conflict { code: ErrorCode::ReplacementEnded, message: message.to_owned() }
}

fn audited(track: &Track) -> AuditedAction<'_> {
    AuditedAction {
        action: AuditAction::TrackReplaceSource,
        subject_id: track.id.uuid(),
        title: &track.file_name,
    }
}
