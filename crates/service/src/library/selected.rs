//! Changing many tracks at once: all of them or none. The person who made a change can undo it.

mod delete;
mod move_to;
mod move_to_position;
mod reorder;
mod retitle;
mod undo;

use std::collections::{HashMap, HashSet};

use tonearm_catalog::{CatalogError, Transaction};
use tonearm_domain::{Actor, Ambient, ErrorCode, Track, TrackId, UndoEntry, UndoId, UndoableChange};

use super::Library;
use crate::caller::Caller;
use crate::refusal::Refusal;

pub use move_to_position::Repositioned;
pub use reorder::Reordering;
pub use retitle::NewTitle;
pub use undo::Undone;

/// A selection of 1 to 200 tracks, each once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectedTracks(Vec<TrackId>);

impl SelectedTracks {
    /// The most tracks that are changed at once: all of them are locked until it is done.
    pub const MOST: usize = 200;

    /// Refuses an empty selection and one that is too large. Tracks that are named twice count once.
    pub fn new(tracks: impl IntoIterator<Item = TrackId>) -> Result<Self, Refusal> {
        let mut seen = HashSet::new();
        let tracks: Vec<TrackId> = tracks.into_iter().filter(|id| seen.insert(*id)).collect();
        match tracks.len() {
            0 => Err(Refusal::invalid("track", "select at least one track")),
            count if count > Self::MOST => {
                let message = format!("select at most {} tracks; you have selected {count}", Self::MOST);
                Err(Refusal::invalid("track", message))
            }
            _ => Ok(Self(tracks)),
        }
    }

    /// Their ids, in the order in which they were named.
    pub fn ids(&self) -> &[TrackId] {
        &self.0
    }
}

/// The result of a change to many tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// How many tracks were changed.
    pub count: usize,
    /// Identifies the change for [`Library::undo`]. Only people can undo changes.
    pub undo: Option<UndoId>,
}

/// Locks the selected tracks and returns them in the order in which they were named. All must be within the caller's
/// reach.
pub(crate) async fn lock(
    tx: &Transaction,
    caller: &Caller,
    selected: &SelectedTracks,
) -> Result<Vec<Track>, Refusal> {
    let found = tx.tracks_to_change(caller.organization_id, selected.ids()).await?;
    let mut found: HashMap<TrackId, Track> = found.into_iter().map(|track| (track.id, track)).collect();
    let take = |id: &TrackId| {
        let track = found.remove(id).ok_or_else(some_are_gone)?;
        caller.reach_track(track.collection_id, track.id)?;
        Ok(track)
    };
    selected.ids().iter().map(take).collect()
}

/// Sorts tracks by their order within their collection. The collections keep the order in which they first appear.
fn sort_as_listed(tracks: &mut [Track]) {
    let mut collections = HashMap::new();
    for track in tracks.iter() {
        let next = collections.len();
        collections.entry(track.collection_id).or_insert(next);
    }
    tracks.sort_by_key(|track| (collections[&track.collection_id], track.order));
}

fn some_are_gone() -> Refusal {
    Refusal::Conflict {
        code: ErrorCode::TracksGone,
        message: "some of the selected tracks were deleted or moved in the meantime; nothing was changed. Clear the selection and select again"
            .to_owned(),
    }
}

/// Stores what is needed to undo a change, if a person made it.
pub(crate) async fn keep_undo(
    tx: &Transaction,
    ambient: &Ambient,
    caller: &Caller,
    change: UndoableChange,
) -> Result<Option<UndoId>, CatalogError> {
    let Actor::Person(person_id) = caller.origin.actor else { return Ok(None) };
    let entry = UndoEntry {
        id: ambient.record_id(),
        organization_id: caller.organization_id,
        person_id,
        change,
        expires_at: ambient.now().plus_seconds(UndoEntry::KEPT_SECONDS),
    };
    tx.insert_undo_entry(&entry).await?;
    Ok(Some(entry.id))
}

impl Library {
    /// The selected tracks before a change, each collection's tracks in its order. Those that were deleted or moved out
    /// of the caller's reach are left out.
    pub async fn selected_tracks(
        &self,
        caller: &Caller,
        selected: &SelectedTracks,
    ) -> Result<Vec<Track>, Refusal> {
        let tx = self.catalog.begin().await?;
        let mut tracks = tx.tracks_to_change(caller.organization_id, selected.ids()).await?;
        tx.commit().await?;
        tracks.retain(|track| caller.reach_track(track.collection_id, track.id).is_ok());
        tracks.sort_by_key(|track| selected.ids().iter().position(|id| *id == track.id));
        if tracks.is_empty() {
            return Err(some_are_gone());
        }
        sort_as_listed(&mut tracks);
        Ok(tracks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: u128) -> impl Iterator<Item = TrackId> {
        (0..count).map(|number| TrackId::from_uuid(uuid::Uuid::from_u128(number)))
    }

    #[test]
    fn a_selection_is_never_empty_and_never_too_large() {
        assert!(SelectedTracks::new(ids(0)).is_err());
        assert_eq!(SelectedTracks::new(ids(200)).unwrap().ids().len(), 200);
        let refused = SelectedTracks::new(ids(201)).unwrap_err().to_string();
        assert!(refused.contains("at most 200 tracks") && refused.contains("201"), "{refused}");
        assert_eq!(SelectedTracks::new(ids(2).chain(ids(2))).unwrap().ids().len(), 2);
    }
}
