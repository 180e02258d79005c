//! Removing an uploaded cover.

use tonearm_domain::{AuditAction, CoverOrigin, CoverOwner, ErrorCode, EventKind};

use super::{Library, covers, derived};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};
use crate::track_view::TrackParents;
use crate::webhooks::events;

impl Library {
    /// Removes an uploaded cover. A track then has the art in its file, or a generated cover, which a job makes; until
    /// then, players show the cover of the collection or a generated one. Tracks of a collection or an organization
    /// without a cover show the next one above, or their own.
    pub async fn reset_cover(&self, caller: &Caller, owner: CoverOwner) -> Result<(), Refusal> {
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let (action, subject_id, title) = match owner {
            CoverOwner::Track(id) => {
                let mut track =
                    tx.track(organization_id, id).await?.ok_or(Refusal::NotFound(Resource::Track))?;
                caller.reach_track(track.collection_id, id)?;
                if track.cover.is_none_or(|cover| cover.origin != CoverOrigin::Uploaded) {
                    return Err(no_cover("the track has no uploaded cover"));
                }
                // The run that processes it has already checked whether it has a cover.
                if track.status.is_processing() {
                    return Err(Refusal::Conflict {
                        code: ErrorCode::TrackProcessing,
                        message: "the track is being processed; reset its cover when it is ready".to_owned(),
                    });
                }
                let parents = TrackParents::in_transaction(&tx, organization_id, track.collection_id).await?;
                let parents = parents.ok_or(Refusal::NotFound(Resource::Collection))?;
                let before = parents.inputs(&track);
                track.cover = None;
                track.theme.found.clear();
                tx.update_track(&track).await?;
                let inputs = (&before, &parents.inputs(&track));
                derived::track_changed(&tx, &self.ambient, &track, inputs).await?;
                (AuditAction::TrackCover, id.uuid(), track.file_name)
            }
            CoverOwner::Collection(id) => {
                caller.reach_collection(id)?;
                let found = tx.collection(organization_id, id).await?;
                let before = found.ok_or(Refusal::NotFound(Resource::Collection))?;
                let mut after = before.clone();
                after.theme.found.clear();
                if after.cover.take().is_none() {
                    return Err(no_cover("the collection has no cover"));
                }
                tx.update_collection(&after).await?;
                events::collection_changed(&tx, &self.ambient, EventKind::CollectionUpdated, &after).await?;
                derived::collection_changed(&tx, &self.ambient, (&before, &after)).await?;
                (AuditAction::CollectionCover, id.uuid(), after.title)
            }
            CoverOwner::Organization => {
                caller.require_whole_organization()?;
                let found = tx.organization(organization_id).await?;
                let before = found.ok_or(Refusal::NotFound(Resource::Organization))?;
                let mut after = before.clone();
                after.theme.found.clear();
                if after.cover.take().is_none() {
                    return Err(no_cover("the organization has no cover"));
                }
                tx.update_organization(&after).await?;
                derived::organization_changed(&tx, &self.ambient, (&before, &after)).await?;
                (AuditAction::OrganizationCover, organization_id.uuid(), after.name)
            }
        };
        covers::queue_rest(&tx, &self.ambient, organization_id, owner).await?;
        let done = AuditedAction { action, subject_id, title: &title };
        audit::record(&tx, &self.ambient, caller, done).await?;
        Ok(tx.commit().await?)
    }
}

fn no_cover(message: &str) -> Refusal {
    Refusal::Conflict { code: ErrorCode::NoUploadedCover, message: message.to_owned() }
}
