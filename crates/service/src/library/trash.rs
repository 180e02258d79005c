//! Restoring deleted tracks and collections.

use tonearm_catalog::{CatalogError, Record, Transaction};
use tonearm_domain::{
    Ambient, AuditAction, Collection, CollectionId, Cursor, ErrorCode, EventKind, Job, Page,
    ReplacementState, Track, TrackId, Trashed,
};

use super::{CollectionView, Library, derived};
use crate::admission::quotas;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::imports;
use crate::refusal::{Refusal, Resource};
use crate::track_view::{TrackParents, TrackView};
use crate::transcription;
use crate::webhooks::events;

impl Library {
    /// A page of the tracks that were deleted individually and can be restored, the latest deletion first.
    pub async fn trashed_tracks(
        &self,
        caller: &Caller,
        cursor: Cursor<TrackId>,
        limit: u32,
    ) -> Result<Page<Trashed<Track>>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self.catalog.trashed_tracks(caller.organization_id, self.ambient.now(), cursor, limit).await?)
    }

    /// A page of the deleted collections that can be restored, those that stay restorable longest first.
    pub async fn trashed_collections(
        &self,
        caller: &Caller,
        cursor: Cursor<CollectionId>,
        limit: u32,
    ) -> Result<Page<Trashed<Collection>>, Refusal> {
        caller.require_whole_organization()?;
        Ok(self
            .catalog
            .trashed_collections(caller.organization_id, self.ambient.now(), cursor, limit)
            .await?)
    }

    /// Restores a deleted track. It has its former status, and the jobs that it waits for are queued again.
    pub async fn restore_track(&self, caller: &Caller, id: TrackId) -> Result<TrackView, Refusal> {
        let organization_id = caller.organization_id;
        let gone = || Refusal::NotFound(Resource::Track);
        let deleted = self.catalog.track_even_deleted(organization_id, id).await?.ok_or_else(gone)?;
        caller.reach_track(deleted.collection_id, id)?;
        let now = self.ambient.now();
        if self.catalog.collection(organization_id, deleted.collection_id).await?.is_none() {
            return Err(collection_deleted());
        }
        let tx = self.catalog.begin().await?;
        let quotas = tx.quotas(organization_id).await?;
        let track = match tx.restore_track(organization_id, id, now).await {
            // The collection was deleted since.
            Err(CatalogError::Missing(Record::Collection)) => return Err(collection_deleted()),
            restored => restored?.ok_or_else(gone)?,
        };
        // It may have been moved since it was read.
        caller.reach_track(track.collection_id, id)?;
        quotas::admit_restored(&tx, organization_id, quotas).await?;
        resume(&tx, &self.ambient, &track).await?;
        derived::track_restored(&tx, &self.ambient, &track).await?;
        let done = AuditedAction {
            action: AuditAction::TrackRestore,
            subject_id: id.uuid(),
            title: &track.file_name,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        tx.commit().await?;
        let parents = TrackParents::of(&self.catalog, organization_id, track.collection_id).await?;
        Ok(parents.view(track))
    }

    /// Restores a deleted collection together with the tracks deleted with it, however many. The jobs that they wait
    /// for are queued again in the background. Webhooks received an event about the deletion; they now receive
    /// `collection.created`.
    pub async fn restore_collection(
        &self,
        caller: &Caller,
        id: CollectionId,
    ) -> Result<CollectionView, Refusal> {
        caller.reach_collection(id)?;
        let (organization_id, now) = (caller.organization_id, self.ambient.now());
        let tx = self.catalog.begin().await?;
        let quotas = tx.quotas(organization_id).await?;
        let restored = tx.restore_collection(organization_id, id, now).await?;
        let collection = restored.ok_or(Refusal::NotFound(Resource::Collection))?;
        quotas::admit_restored(&tx, organization_id, quotas).await?;
        let job = Job::ResumeCollection { organization_id, collection_id: id, cursor: None };
        tx.enqueue(job, self.ambient.record_id(), now, None).await?;
        let done = AuditedAction {
            action: AuditAction::CollectionRestore,
            subject_id: id.uuid(),
            title: &collection.title,
        };
        audit::record(&tx, &self.ambient, caller, done).await?;
        events::collection_changed(&tx, &self.ambient, EventKind::CollectionCreated, &collection).await?;
        tx.commit().await?;
        Ok(collection.into())
    }
}

/// Queues the jobs that a track waits for: they ended without doing anything while it was deleted.
pub(crate) async fn resume(tx: &Transaction, ambient: &Ambient, track: &Track) -> Result<(), CatalogError> {
    if let Some((job, run_at)) = track.awaited_job(ambient.now()) {
        tx.enqueue(job, ambient.record_id(), run_at, None).await?;
    }
    let replacement = tx.replacement(track.organization_id, track.id).await?;
    if let Some(replacement) = replacement.filter(|it| it.state == ReplacementState::Processing) {
        let (organization_id, track_id, replacement_id) = (track.organization_id, track.id, replacement.id);
        let job = Job::ReplaceSource { organization_id, track_id, replacement_id };
        tx.enqueue(job, ambient.record_id(), ambient.now(), None).await?;
    }
    imports::resume(tx, ambient, track).await?;
    transcription::resume(tx, ambient, track).await
}

fn collection_deleted() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::CollectionDeleted,
        message: "the collection of the track is deleted; restore the collection first".to_owned(),
    }
}
