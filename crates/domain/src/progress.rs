//! The progress of rendering files of tracks.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{OrganizationId, TrackId, VariantId};

/// The progress of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Making {
    /// It is waiting to be rendered.
    Waiting,
    /// It is being rendered.
    Running {
        /// Progress in percent, 0..=100.
        percent: u8,
    },
    /// It was rendered.
    Made,
    /// It could not be rendered.
    Failed,
}

impl Making {
    /// Builds the running state from a share, 0..=1.
    pub fn running(share: f32) -> Self {
        let percent = (share.clamp(0.0, 1.0) * 100.0).round();
        Self::Running { percent: if percent.is_finite() { percent as u8 } else { 0 } }
    }

    /// Progress in percent, 0..=100. Failed counts as done.
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

/// The progress of the file of one variant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct VariantProgress {
    /// The variant.
    pub index: VariantIndex,
    /// Its progress.
    #[serde(flatten)]
    pub making: Making,
}

/// The progress of the files of one track, in the order of the recipes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrackProgress {
    /// Each variant.
    pub variants: Vec<VariantProgress>,
}

impl TrackProgress {
    /// Progress of all files in percent, 0..=100; 100 only when nothing is left to do.
    pub fn percent(&self) -> u8 {
        let sum: u32 = self.variants.iter().map(|variant| u32::from(variant.making.percent())).sum();
        let count = u32::try_from(self.variants.len()).unwrap_or(u32::MAX);
        u8::try_from(sum.checked_div(count).unwrap_or(0)).unwrap_or(100)
    }
}

/// The progress of rendering a recipe for tracks that existed before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// The organization that owns the recipe.
    pub organization_id: OrganizationId,
    /// The recipe.
    pub variant_id: VariantId,
    /// The number of tracks to process. While tracks are examined, those that were added since are counted, too.
    pub total: u64,
    /// The number of tracks done so far: those that already had the file, and those for which it was rendered or
    /// failed.
    pub done: u64,
    /// The number of tracks for which it failed.
    pub failed: u64,
    /// The number of tracks examined so far. Each examined track that is not done waits with a job of its own.
    pub examined: u64,
    /// The last track that was examined. Tracks are examined in the order of their ids.
    pub cursor: Option<TrackId>,
    /// Whether no track is left to be examined.
    pub is_at_end: bool,
    /// When it was requested.
    pub started_at: Timestamp,
    /// When the last track was done.
    pub finished_at: Option<Timestamp>,
}

impl Rendering {
    /// A new rendering of a recipe for `total` tracks, started now.
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

    /// The number of tracks that are waiting.
    pub const fn outstanding(&self) -> u64 {
        self.examined.saturating_sub(self.done)
    }

    /// Records the next batch of examined tracks, in the order of their ids; `have_it` of them already have the file.
    /// An empty batch means that no track is left.
    pub fn note_batch(&mut self, tracks: &[TrackId], have_it: u64, now: Timestamp) {
        match tracks.last() {
            None => {
                self.is_at_end = true;
                self.total = self.examined;
            }
            Some(last) => {
                self.cursor = Some(*last);
                self.examined += tracks.len() as u64;
                self.total = self.total.max(self.examined);
                self.done += have_it;
            }
        }
        self.finish_if_done(now);
    }

    /// Records that a track is done.
    pub fn note_track(&mut self, is_made: bool, now: Timestamp) {
        self.done += 1;
        self.failed += u64::from(!is_made);
        self.finish_if_done(now);
    }

    /// Ends the examination of tracks: those that were not examined count as failed.
    pub fn stop(&mut self, now: Timestamp) {
        let left = self.total.saturating_sub(self.examined);
        self.examined += left;
        self.done += left;
        self.failed += left;
        self.is_at_end = true;
        self.finish_if_done(now);
    }

    fn finish_if_done(&mut self, now: Timestamp) {
        if self.is_at_end && self.outstanding() == 0 && self.finished_at.is_none() {
            self.finished_at = Some(now);
        }
    }

    /// Progress in percent, 0..=100.
    pub fn percent(&self) -> u8 {
        self.percent_with(&[])
    }

    /// Progress in percent, 0..=100, including the progress of the tracks that are being rendered: 0..=100 each.
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
        let mut stopped = Rendering::begun(rendering.organization_id, rendering.variant_id, 5, now);
        stopped.note_batch(&[id(3), id(4)], 1, now);
        stopped.stop(now);
        assert_eq!((stopped.done, stopped.failed, stopped.finished_at), (4, 3, None));
        stopped.note_track(true, now);
        assert_eq!((stopped.done, stopped.failed, stopped.finished_at), (5, 3, Some(now)));
        let mut empty = Rendering::begun(rendering.organization_id, rendering.variant_id, 0, now);
        empty.note_batch(&[], 0, now);
        assert_eq!(empty.finished_at, Some(now));
    }

    #[test]
    fn a_rendering_counts_the_tracks_that_there_are() {
        let now = Timestamp::from_unix_millis(1_000_000).unwrap();
        let id = |number: u8| crate::RecordId::from_parts(now, [number; 10]);
        let begun = |total| {
            let recipe = crate::RecordId::from_parts(now, [2; 10]);
            Rendering::begun(crate::RecordId::from_parts(now, [1; 10]), recipe, total, now)
        };
        // Two tracks were added since it began.
        let mut grown = begun(1);
        grown.note_batch(&[id(3), id(4), id(5)], 2, now);
        assert_eq!((grown.total, grown.done, grown.percent()), (3, 2, 66));
        // Two were deleted.
        let mut shrunk = begun(3);
        shrunk.note_batch(&[id(3)], 0, now);
        assert_eq!((shrunk.total, shrunk.percent()), (3, 0));
        shrunk.note_batch(&[], 0, now);
        shrunk.note_track(true, now);
        assert_eq!((shrunk.total, shrunk.done, shrunk.finished_at), (1, 1, Some(now)));
    }

    proptest! {
        #[test]
        fn shares_stay_within_bounds(share in any::<f32>()) {
            prop_assert!(Making::running(share).percent() <= 100);
        }
    }
}
