//! How far making the files of tracks has got.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{OrganizationId, TrackId, VariantId};

/// How far one file has got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Making {
    /// Its turn is yet to come.
    Waiting,
    /// It is being made.
    Running {
        /// How much of it is there, 0..=100.
        percent: u8,
    },
    /// It was made.
    Made,
    /// It could not be made.
    Failed,
}

impl Making {
    /// From a share, 0..=1.
    pub fn running(share: f32) -> Self {
        let percent = (share.clamp(0.0, 1.0) * 100.0).round();
        Self::Running { percent: if percent.is_finite() { percent as u8 } else { 0 } }
    }

    /// How much is done, 0..=100. What failed is done, too.
    pub const fn percent(self) -> u8 {
        match self {
            Self::Waiting => 0,
            Self::Running { percent } => percent,
            Self::Made | Self::Failed => 100,
        }
    }

    /// The state as text, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running { .. } => "running",
            Self::Made => "made",
            Self::Failed => "failed",
        }
    }
}

/// How far the file of one variant has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantProgress {
    /// Which variant.
    pub index: VariantIndex,
    /// How far it is.
    #[serde(flatten)]
    pub making: Making,
}

/// How far the files of one track have got, in the order of the recipes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackProgress {
    /// Each variant.
    pub variants: Vec<VariantProgress>,
}

impl TrackProgress {
    /// How much of all is done, 0..=100; 100 only once nothing is left to do.
    pub fn percent(&self) -> u8 {
        let sum: u32 = self.variants.iter().map(|variant| u32::from(variant.making.percent())).sum();
        let count = u32::try_from(self.variants.len()).unwrap_or(u32::MAX);
        u8::try_from(sum.checked_div(count).unwrap_or(0)).unwrap_or(100)
    }
}

/// How far a recipe has got that is rendered for tracks that were there before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// Whose recipe.
    pub organization_id: OrganizationId,
    /// Which recipe.
    pub variant_id: VariantId,
    /// How many tracks there were to do when it began.
    pub total: u64,
    /// How many are done so far: those that had the file already, and those for which it was made or failed.
    pub done: u64,
    /// For how many it failed.
    pub failed: u64,
    /// How many were examined so far. Those of them that are not done wait for their turn, each with a job of its own.
    pub examined: u64,
    /// The last track that was examined: they are taken by id.
    pub cursor: Option<TrackId>,
    /// Whether no track is left to be examined.
    pub is_at_end: bool,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When the last track was done.
    pub finished_at: Option<Timestamp>,
}

impl Rendering {
    /// Of a recipe for so many tracks, begun now.
    pub const fn begun(
        organization_id: OrganizationId,
        variant_id: VariantId,
        total: u64,
        now: Timestamp,
    ) -> Self {
        Self {
            organization_id,
            variant_id,
            total,
            done: 0,
            failed: 0,
            examined: 0,
            cursor: None,
            is_at_end: false,
            started_at: now,
            finished_at: None,
        }
    }

    /// How many tracks wait for their turn.
    pub const fn outstanding(&self) -> u64 {
        self.examined.saturating_sub(self.done)
    }

    /// Notes the next tracks that were examined, in the order of their ids, of which so many have the file. None: no
    /// track is left.
    pub fn note_batch(&mut self, tracks: &[TrackId], have_it: u64, now: Timestamp) {
        match tracks.last() {
            None => self.is_at_end = true,
            Some(last) => {
                self.cursor = Some(*last);
                self.examined += tracks.len() as u64;
                self.done += have_it;
            }
        }
        self.finish_if_done(now);
    }

    /// Notes that the turn of a track is over.
    pub fn note_track(&mut self, is_made: bool, now: Timestamp) {
        self.done += 1;
        self.failed += u64::from(!is_made);
        self.finish_if_done(now);
    }

    fn finish_if_done(&mut self, now: Timestamp) {
        if self.is_at_end && self.outstanding() == 0 && self.finished_at.is_none() {
            self.finished_at = Some(now);
        }
    }

    /// How much is done, 0..=100.
    pub fn percent(&self) -> u8 {
        self.percent_with(&[])
    }

    /// How much is done, 0..=100, with what is done of the tracks in the making: 0..=100 each.
    pub fn percent_with(&self, in_the_making: &[u8]) -> u8 {
        if self.finished_at.is_some() {
            return 100;
        }
        let parts: u64 = in_the_making.iter().map(|percent| u64::from(*percent)).sum();
        let share = (self.done * 100 + parts).checked_div(self.total).unwrap_or(0);
        u8::try_from(share).unwrap_or(100).min(99)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn track(states: &[Making]) -> TrackProgress {
        let index = VariantIndex::from_static("hq");
        let variants = states.iter().map(|making| VariantProgress { index: index.clone(), making: *making });
        TrackProgress { variants: variants.collect() }
    }

    #[test]
    fn a_track_is_as_far_as_its_files_are_on_average() {
        assert_eq!(track(&[]).percent(), 0);
        assert_eq!(track(&[Making::Waiting, Making::Made]).percent(), 50);
        assert_eq!(track(&[Making::Running { percent: 99 }, Making::Made]).percent(), 99);
        assert_eq!(track(&[Making::Failed, Making::Made]).percent(), 100);
    }

    #[test]
    fn states_have_one_spelling() {
        let progress = track(&[Making::Running { percent: 7 }]);
        let json = serde_json::to_value(&progress).unwrap();
        let expected = serde_json::json!({"variants": [{"index": "hq", "state": "running", "percent": 7}]});
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<TrackProgress>(json).unwrap(), progress);
    }

    #[test]
    fn a_rendering_ends_with_its_last_track() {
        let now = Timestamp::from_unix_millis(1_000_000).unwrap();
        let id = |number: u8| crate::RecordId::from_parts(now, [number; 10]);
        let mut rendering = Rendering::begun(
            crate::RecordId::from_parts(now, [1; 10]),
            crate::RecordId::from_parts(now, [2; 10]),
            3,
            now,
        );
        rendering.note_batch(&[id(3), id(4), id(5)], 1, now);
        assert_eq!((rendering.outstanding(), rendering.percent()), (2, 33));
        rendering.note_track(true, now);
        assert_eq!((rendering.cursor, rendering.outstanding()), (Some(id(5)), 1));
        assert_eq!((rendering.percent_with(&[50]), rendering.percent_with(&[100; 9])), (83, 99));
        rendering.note_batch(&[], 0, now);
        assert_eq!((rendering.is_at_end, rendering.finished_at), (true, None));
        rendering.note_track(false, now);
        assert_eq!((rendering.done, rendering.failed, rendering.finished_at), (3, 1, Some(now)));
        let mut empty = Rendering::begun(rendering.organization_id, rendering.variant_id, 0, now);
        empty.note_batch(&[], 0, now);
        assert_eq!(empty.finished_at, Some(now));
    }

    proptest! {
        #[test]
        fn shares_stay_within_bounds(share in any::<f32>()) {
            prop_assert!(Making::running(share).percent() <= 100);
        }
    }
}
