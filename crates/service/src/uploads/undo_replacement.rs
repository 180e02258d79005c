//! Putting the former source of a track back.

use tonearm_domain::{ErrorCode, Job, REPLACED_FILES_SECONDS, Replacement, ReplacementId, TrackId};

use super::Uploads;
use crate::admission::quotas;
use crate::audit;
use crate::caller::Caller;
use crate::library::replace_source::audited;
use crate::refusal::{Refusal, Resource};

impl Uploads {
    /// Undoes a completed replacement, as long as the former source is kept. Returns the replacement that puts it back, also
    /// if the request is repeated meanwhile. Work and space are asked for as for an upload of the source.
    pub async fn undo_replacement(
        &self,
        caller: &Caller,
        id: TrackId,
        undone: ReplacementId,
    ) -> Result<Replacement, Refusal> {
        let organization_id = caller.organization_id;
        let track =
            self.catalog.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let latest = self.catalog.replacement(organization_id, id).await?;
        if let Some(running) = latest.as_ref().filter(|it| it.is_undo()) {
            return Ok(running.clone());
        }
        let source = latest.and_then(|it| it.source);
        let size = source.as_ref().map(|source| source.size);
        self.require_room(organization_id, size, size.unwrap_or(0)).await?;
        let tx = self.catalog.begin().await?;
        if let Some(source) = &source
            && let Some(exceeded) = quotas::exceeded_by_former(&tx, organization_id, source).await?
        {
            return Err(exceeded.into());
        }
        let track = tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(track.collection_id, id)?;
        let found = tx.replacement(organization_id, id).await?;
        let found = found.ok_or(Refusal::NotFound(Resource::Replacement))?;
        if found.is_undo() {
            return Ok(found);
        }
        let now = self.ambient.now();
        let undoing = Some(found).filter(|it| it.id == undone);
        let undoing = undoing.and_then(|it| it.undone(self.ambient.record_id(), now)).ok_or_else(gone)?;
        let source = undoing.source.as_ref().ok_or_else(gone)?;
        // Whoever removes objects takes their rows first.
        if !tx.keep_replaced_object(&source.key, now.plus_seconds(REPLACED_FILES_SECONDS)).await? {
            return Err(gone());
        }
        let actor = &caller.origin.actor;
        let (person_id, api_key_id) = (actor.person_id(), actor.api_key_id());
        let undoing = Replacement { person_id, api_key_id, ..undoing };
        tx.put_replacement(&undoing).await?;
        let job = Job::ReplaceSource { organization_id, track_id: id, replacement_id: undoing.id };
        tx.enqueue(job, self.ambient.record_id(), now, None).await?;
        audit::record(&tx, &self.ambient, caller, audited(&track)).await?;
        tx.commit().await?;
        Ok(undoing)
    }
}

fn gone() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::ReplacementEnded,
        message: "this replacement was not completed, is not the latest one of the track, or was completed so long ago that \
                  the former file is no longer kept"
            .to_owned(),
    }
}
