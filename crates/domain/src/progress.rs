//! How far making the files of tracks has got.

use serde::{Deserialize, Serialize};

use crate::{OrganizationId, Timestamp, TrackId, VariantId, VariantIndex};

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
    /// How many were looked at so far, those that failed included.
    pub done: u64,
    /// For how many it failed.
    pub failed: u64,
    /// The last track that was looked at: they are taken by id.
    pub cursor: Option<TrackId>,
    /// When it was asked for.
    pub started_at: Timestamp,
    /// When the last track was done.
    pub finished_at: Option<Timestamp>,
}

impl Rendering {
    /// How much is done, 0..=100.
    pub fn percent(&self) -> u8 {
        if self.finished_at.is_some() {
            return 100;
        }
        let share = (self.done * 100).checked_div(self.total).unwrap_or(0);
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

    proptest! {
        #[test]
        fn shares_stay_within_bounds(share in any::<f32>()) {
            prop_assert!(Making::running(share).percent() <= 100);
        }
    }
}
