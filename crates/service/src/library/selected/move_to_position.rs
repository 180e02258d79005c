//! Moving tracks within their collection to a position, counted from 1.

use std::collections::HashSet;
use std::num::NonZeroU32;

use tonearm_catalog::{TrackRange, TrackRangeError};
use tonearm_domain::{CollectionId, TrackId, UndoableChange};

use super::reorder::order_changed;
use super::{Changed, SelectedTracks, keep_undo, some_are_gone};
use crate::caller::Caller;
use crate::library::Library;
use crate::refusal::Refusal;

/// The most tracks from the first to the last one that a move affects: all of them are locked until it is done.
const MOST_AFFECTED: usize = 5000;

/// Tracks that now follow one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repositioned {
    /// The number of moved tracks, and the id for undoing the move.
    pub changed: Changed,
    /// The track before the first of them. None at the beginning of the list.
    pub preceding: Option<TrackId>,
}

impl Library {
    /// Moves tracks of a collection so that the first of them has the position and the others follow it in their
    /// current order. A position beyond the last track means the end of the list.
    pub async fn move_to_position(
        &self,
        caller: &Caller,
        collection_id: CollectionId,
        selected: &SelectedTracks,
        position: NonZeroU32,
    ) -> Result<Repositioned, Refusal> {
        caller.reach_collection(collection_id)?;
        let tx = self.catalog.begin().await?;
        let index = u64::from(position.get()) - 1;
        let range = tx
            .range_around(caller.organization_id, collection_id, selected.ids(), index, MOST_AFFECTED as u64)
            .await?
            .map_err(|error| match error {
                TrackRangeError::Missing => some_are_gone(),
                TrackRangeError::Changed => order_changed(),
            })?;
        if range.tracks.len() > MOST_AFFECTED {
            return Err(Refusal::invalid("position", TOO_FAR));
        }
        let Moved { before, after, preceding } = Moved::of(range, selected).ok_or_else(order_changed)?;
        if before.is_empty() {
            return Ok(Repositioned { changed: Changed { count: 0, undo: None }, preceding });
        }
        self.arrange(&tx, caller, collection_id, &after).await?;
        let change = UndoableChange::Order { collection_id, before, after };
        let undo = keep_undo(&tx, &self.ambient, caller, change).await?;
        tx.commit().await?;
        Ok(Repositioned { changed: Changed { count: selected.ids().len(), undo }, preceding })
    }
}

const TOO_FAR: &str = "a move can affect at most 5,000 tracks; move the tracks in several steps";

/// The part of a list that changes when tracks are moved together. Empty if they are already in place.
#[derive(Debug, PartialEq, Eq)]
struct Moved {
    before: Vec<TrackId>,
    after: Vec<TrackId>,
    preceding: Option<TrackId>,
}

impl Moved {
    /// `None` if the range lacks one of the tracks.
    fn of(range: TrackRange, selected: &SelectedTracks) -> Option<Self> {
        let TrackRange { start, tracks: mut before, index } = range;
        let chosen: HashSet<&TrackId> = selected.ids().iter().collect();
        let (block, mut after): (Vec<TrackId>, Vec<TrackId>) =
            before.iter().partition(|track| chosen.contains(track));
        if block.len() != chosen.len() {
            return None;
        }
        let at = usize::try_from(index.saturating_sub(start)).unwrap_or(usize::MAX).min(after.len());
        let preceding = at.checked_sub(1).map(|last| after[last]);
        after.splice(at..at, block);
        // Unmoved tracks at both ends are not part of the change.
        let is_moved = |(before, after): (&TrackId, &TrackId)| before != after;
        let end = before.iter().zip(&after).rposition(is_moved).map_or(0, |last| last + 1);
        let from = before.iter().zip(&after).position(is_moved).unwrap_or(end);
        for list in [&mut before, &mut after] {
            list.truncate(end);
            list.drain(..from);
        }
        Some(Self { before, after, preceding })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn id(number: usize) -> TrackId {
        TrackId::from_uuid(uuid::Uuid::from_u128(number as u128))
    }

    #[test]
    fn the_limit_is_the_one_that_is_told() {
        assert!(TOO_FAR.contains("5,000") && MOST_AFFECTED == 5000);
    }

    #[test]
    fn a_range_without_one_of_the_tracks_is_refused() {
        let selected = SelectedTracks::new([id(1), id(9)]).unwrap();
        let range = TrackRange { start: 0, tracks: vec![id(1), id(2)], index: 0 };
        assert_eq!(Moved::of(range, &selected), None);
    }

    proptest! {
        /// Moving within the affected range gives the same list as moving within the whole one.
        #[test]
        fn the_range_is_all_that_changes(
            count in 1_usize..30,
            chosen in proptest::collection::btree_set(0_usize..30, 1..6),
            index in 0_usize..40,
        ) {
            let chosen: Vec<usize> = chosen.into_iter().filter(|at| *at < count).collect();
            prop_assume!(!chosen.is_empty());
            let whole: Vec<TrackId> = (0..count).map(id).collect();
            let selected = SelectedTracks::new(chosen.iter().map(|at| id(*at))).unwrap();
            let mut expected: Vec<TrackId> =
                whole.iter().copied().filter(|track| !selected.ids().contains(track)).collect();
            let at = index.min(expected.len());
            expected.splice(at..at, selected.ids().iter().copied());

            let index = index.min(count - chosen.len());
            let start = chosen[0].min(index.saturating_sub(1));
            let end = chosen[chosen.len() - 1].max(index + chosen.len() - 1);
            let tracks = whole[start..=end].to_vec();
            let range = TrackRange { start: start as u64, tracks, index: index as u64 };
            let Moved { before, after, preceding } = Moved::of(range, &selected).unwrap();
            let mut found = whole.clone();
            if let (Some(first), Some(last)) = (before.first(), before.last()) {
                let [from, to] = [first, last].map(|track| whole.iter().position(|other| other == track).unwrap());
                prop_assert_eq!(&whole[from..=to], &before[..]);
                prop_assert!(before[0] != after[0] && before[before.len() - 1] != after[after.len() - 1]);
                found.splice(from..=to, after);
            }
            prop_assert_eq!(&found, &expected);
            let first = found.iter().position(|track| *track == id(chosen[0])).unwrap();
            prop_assert_eq!(preceding, first.checked_sub(1).map(|last| found[last]));
        }
    }
}
