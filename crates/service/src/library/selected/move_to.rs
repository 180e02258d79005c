//! Moving many tracks to another collection.

use tonearm_catalog::{MovedTrackTombstone, Transaction};
use tonearm_domain::{
    AuditAction, Collection, CollectionId, Derived, Input, MovedTrack, Track, UndoableChange,
};

use super::{Changed, SelectedTracks, keep_undo, lock, sort_as_listed};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::library::{CreateCollection, Library, derived};
use crate::refusal::{Refusal, Resource};

impl Library {
    /// Moves the tracks to the end of a collection, keeping the order that they have in their own. Tracks already in
    /// the collection stay where they are.
    pub async fn move_tracks(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
        target: CollectionId,
    ) -> Result<Changed, Refusal> {
        caller.reach_collection(target)?;
        let tx = self.catalog.begin().await?;
        let mut tracks = lock(&tx, caller, selected).await?;
        tracks.retain(|track| track.collection_id != target);
        tx.collection_as_it_is(caller.organization_id, target)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        tx.lock_collections(sources(&tracks).chain([target]).collect()).await?;
        self.move_all(tx, caller, tracks, target).await
    }

    /// Creates a collection and moves the tracks there, keeping the order that they have in their own. Undoing the move
    /// leaves the collection empty. The caller chooses the id, so that a request that is sent twice creates one collection.
    pub async fn move_tracks_to_new_collection(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
        id: CollectionId,
        create: CreateCollection,
    ) -> Result<Changed, Refusal> {
        let collection = Collection { id, ..self.new_collection(caller, create).await? };
        let tx = self.catalog.begin().await?;
        let tracks = lock(&tx, caller, selected).await?;
        if tx.collection_as_it_is(caller.organization_id, id).await?.is_some() {
            return Ok(Changed { count: 0, undo: None });
        }
        // Inserting a collection updates its count in a row of the organization. Deletions of collections lock that row
        // after their collections.
        tx.lock_collections(sources(&tracks).collect()).await?;
        self.insert_collection(&tx, caller, &collection).await?;
        self.move_all(tx, caller, tracks, id).await
    }

    /// Moves tracks. This transaction has locked their rows, their collections and the target.
    async fn move_all(
        &self,
        tx: Transaction,
        caller: &Caller,
        mut tracks: Vec<Track>,
        target: CollectionId,
    ) -> Result<Changed, Refusal> {
        if tracks.is_empty() {
            return Ok(Changed { count: 0, undo: None });
        }
        sort_as_listed(&mut tracks);
        let mut moved = Vec::with_capacity(tracks.len());
        for track in &mut tracks {
            moved.push(self.move_one(&tx, caller, track, target).await?);
        }
        let undo = keep_undo(&tx, &self.ambient, caller, UndoableChange::Move { tracks: moved }).await?;
        tx.commit().await?;
        Ok(Changed { count: tracks.len(), undo })
    }

    /// Moves a track. This transaction has locked its row and both collections.
    pub(super) async fn move_one(
        &self,
        tx: &Transaction,
        caller: &Caller,
        track: &mut Track,
        target: CollectionId,
    ) -> Result<MovedTrack, Refusal> {
        let (id, index) = (self.ambient.record_id(), self.ambient.short_id());
        let from = track.collection_id;
        track.order =
            tx.move_track(track, target, MovedTrackTombstone { id, index, at: self.ambient.now() }).await?;
        let mut collections = Vec::with_capacity(2);
        for id in [from, target] {
            let collection = tx.collection_as_it_is(track.organization_id, id).await?;
            collections.push(collection.ok_or(Refusal::NotFound(Resource::Collection))?);
        }
        let things = Derived::from_inputs(&Input::of_collection(&collections[0], &collections[1]));
        track.collection_id = target;
        derived::queue(tx, &self.ambient, track.organization_id, &[track.id], &things).await?;
        let done = AuditedAction {
            action: AuditAction::TrackMove,
            subject_id: track.id.uuid(),
            title: &track.file_name,
        };
        audit::record(tx, &self.ambient, caller, done).await?;
        Ok(MovedTrack { id: track.id, from, to: target, order: track.order, vacated: id })
    }
}

/// The collections that tracks are in.
fn sources(tracks: &[Track]) -> impl Iterator<Item = CollectionId> {
    tracks.iter().map(|track| track.collection_id)
}
