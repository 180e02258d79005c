//! Undoing a change to many tracks: all of it, or nothing if one of them was changed since.

use std::collections::HashMap;

use tonearm_catalog::{CatalogError, Record, Transaction};
use tonearm_domain::{
    Actor, AuditAction, CollectionId, Cover, CoverOrigin, CoverOwner, CoveredTrack, Derived, ErrorCode,
    Input, MovedTrack, RetitledTrack, Track, TrackId, UndoId, UndoableChange,
};

use crate::admission::quotas;
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::{Library, covers, derived, resume};
use crate::refusal::Refusal;

/// The result of undoing a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Undone {
    /// A collection that now has one of the tracks.
    pub collection_id: Option<CollectionId>,
}

impl Library {
    /// Undoes a change that the same person made.
    pub async fn undo(&self, caller: &Caller, id: UndoId) -> Result<Undone, Refusal> {
        let Actor::Person(person_id) = caller.origin.actor else { return Err(too_late()) };
        let (organization_id, now) = (caller.organization_id, self.ambient.now());
        let tx = self.catalog.begin().await?;
        let entry = tx.take_undo_entry(organization_id, person_id, id, now).await?.ok_or_else(too_late)?;
        let collection_id = match entry.change {
            UndoableChange::Deletion { tracks } => self.restore_tracks(&tx, caller, &tracks).await?,
            UndoableChange::Move { tracks } => self.move_back(&tx, caller, &tracks).await?,
            UndoableChange::Titles { tracks } => self.set_titles_back(&tx, caller, tracks).await?,
            UndoableChange::Covers { tracks } => self.set_covers_back(&tx, caller, tracks).await?,
            UndoableChange::Order { collection_id, before, after } => {
                self.put_in_order(&tx, caller, collection_id, (&after, &before)).await?;
                Some(collection_id)
            }
        };
        tx.commit().await?;
        Ok(Undone { collection_id })
    }

    async fn restore_tracks(
        &self,
        tx: &Transaction,
        caller: &Caller,
        tracks: &[TrackId],
    ) -> Result<Option<CollectionId>, Refusal> {
        let organization_id = caller.organization_id;
        let quotas = tx.quotas(organization_id).await?;
        tx.lock_tracks(tracks).await?;
        let mut seen = None;
        for &id in tracks {
            let track = match tx.restore_track(organization_id, id, self.ambient.now()).await {
                Err(CatalogError::Missing(Record::Collection)) => return Err(collection_deleted()),
                restored => restored?.ok_or_else(changed_since)?,
            };
            resume(tx, &self.ambient, &track).await?;
            note(self, tx, caller, AuditAction::TrackRestore, &track).await?;
            seen = Some(track.collection_id);
        }
        quotas::admit_restored(tx, organization_id, quotas).await?;
        Ok(seen)
    }

    async fn move_back(
        &self,
        tx: &Transaction,
        caller: &Caller,
        moved: &[MovedTrack],
    ) -> Result<Option<CollectionId>, Refusal> {
        let ids: Vec<TrackId> = moved.iter().map(|track| track.id).collect();
        let mut found = by_id(tx.tracks_to_change(caller.organization_id, &ids).await?);
        let as_moved = |was: &MovedTrack| {
            let track = found.remove(&was.id)?;
            (track.collection_id == was.to && track.order == was.order).then_some((track, *was))
        };
        let tracks: Option<Vec<(Track, MovedTrack)>> = moved.iter().map(as_moved).collect();
        let tracks = tracks.ok_or_else(changed_since)?;
        let collections = moved.iter().flat_map(|was| [was.from, was.to]).collect();
        tx.lock_collections(collections).await.map_err(|error| match error {
            CatalogError::Missing(Record::Collection) => collection_deleted(),
            other => other.into(),
        })?;
        for (mut track, was) in tracks {
            self.move_one(tx, caller, &mut track, was.from).await?;
            tx.take_vacated_place(&track, was.vacated).await?;
        }
        Ok(moved.first().map(|was| was.from))
    }

    async fn set_titles_back(
        &self,
        tx: &Transaction,
        caller: &Caller,
        retitled: Vec<RetitledTrack>,
    ) -> Result<Option<CollectionId>, Refusal> {
        let ids: Vec<TrackId> = retitled.iter().map(|track| track.id).collect();
        let mut found = by_id(tx.tracks_to_change(caller.organization_id, &ids).await?);
        let mut seen = None;
        for RetitledTrack { id, before, after } in retitled {
            let track =
                found.remove(&id).filter(|track| track.player_title == after).ok_or_else(changed_since)?;
            seen = Some(track.collection_id);
            self.set_title(tx, caller, track, before).await?;
        }
        Ok(seen)
    }
}

impl Library {
    async fn set_covers_back(
        &self,
        tx: &Transaction,
        caller: &Caller,
        covered: Vec<CoveredTrack>,
    ) -> Result<Option<CollectionId>, Refusal> {
        let ids: Vec<TrackId> = covered.iter().map(|track| track.id).collect();
        let mut found = by_id(tx.tracks_to_change(caller.organization_id, &ids).await?);
        let mut seen = None;
        let things = Derived::from_inputs(&[Input::Colour, Input::Picture]);
        for CoveredTrack { id, before, colours, after } in covered {
            let is_as_set = |track: &Track| track.cover.is_some_and(|cover| cover.version == after);
            // A run that is processing the track has already checked whether it has a cover.
            let can_be_set = |track: &Track| before.is_some() || !track.status.is_processing();
            let mut track = found
                .remove(&id)
                .filter(|track| is_as_set(track) && can_be_set(track))
                .ok_or_else(changed_since)?;
            (track.cover, track.theme.found) = (before, colours);
            // A drawn cover is the placeholder, too. Another may have been drawn beside the cover that is removed.
            if let Some(Cover { origin: CoverOrigin::Generated, version }) = before {
                track.placeholder = Some(version);
            }
            tx.update_track(&track).await?;
            derived::queue(tx, &self.ambient, caller.organization_id, &[id], &things).await?;
            covers::queue_rest(tx, &self.ambient, caller.organization_id, CoverOwner::Track(id)).await?;
            note(self, tx, caller, AuditAction::TrackCover, &track).await?;
            seen = Some(track.collection_id);
        }
        Ok(seen)
    }
}

fn by_id(tracks: Vec<Track>) -> HashMap<TrackId, Track> {
    tracks.into_iter().map(|track| (track.id, track)).collect()
}

async fn note(
    library: &Library,
    tx: &Transaction,
    caller: &Caller,
    action: AuditAction,
    track: &Track,
) -> Result<(), CatalogError> {
    let done = AuditedAction { action, subject_id: track.id.uuid(), title: &track.file_name };
    audit::record(tx, &library.ambient, caller, done).await
}

fn too_late() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::UndoExpired,
        message: "this change can no longer be undone, or was undone already".to_owned(),
    }
}

fn changed_since() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::ChangedSince,
        message: "some of the tracks were changed since; nothing was undone".to_owned(),
    }
}

fn collection_deleted() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::CollectionDeleted,
        message: "the collection of the tracks is deleted; restore the collection first".to_owned(),
    }
}
