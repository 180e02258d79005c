//! Files that were made of a track, or could not be.

use serde::{Deserialize, Serialize};

use crate::levels::Levels;
use crate::object_key::ObjectKey;
use crate::recipe::{Recipe, RecipeKind};
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{FileId, TrackId};

/// What one recipe made of one track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFile {
    /// Its id.
    pub id: FileId,
    /// Of which track.
    pub track_id: TrackId,
    /// By which recipe, with the settings it had then.
    pub recipe: Recipe,
    /// What came of it.
    pub outcome: FileOutcome,
    /// When it was made.
    pub created_at: Timestamp,
}

/// What came of making a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileOutcome {
    /// It was made.
    Made {
        /// Where its bytes are.
        key: ObjectKey,
        /// How many there are.
        size: u64,
        /// Their SHA-256; none of files that were made before it was recorded.
        sha256: Option<[u8; 32]>,
        /// The name it is delivered under.
        file_name: String,
        /// What else is known of it.
        data: FileData,
    },
    /// It could not be made.
    Failed {
        /// Why, as a sentence for people.
        reason: String,
    },
}

/// What else is known of a made file, by its kind. In SQL this is JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileData {
    /// Nothing, unless it missed its loudness.
    None {
        /// Where a loudness target was not met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missed_loudness: Option<MissedLoudness>,
    },
    /// The part of the track that a preview took, in seconds of the track.
    Preview {
        /// Its length.
        duration: f64,
        /// Where it starts.
        capture_start: f64,
        /// Where it ends.
        capture_end: f64,
        /// Where a loudness target was not met.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missed_loudness: Option<MissedLoudness>,
    },
    /// Waveform levels.
    Levels(Levels),
    /// A picture's size.
    Picture {
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
}

/// A loudness target that could not be reached, and what came out instead. Numbers have two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MissedLoudness {
    /// What was asked for, in LUFS.
    pub target_lufs: f64,
    /// The integrated loudness of the file, in LUFS; none where there is nothing to measure: silence, or less than 0.4 s.
    pub loudness_lufs: Option<f64>,
    /// The true peak of the file, in dBTP; none for digital silence.
    pub true_peak_dbtp: Option<f64>,
}

impl MissedLoudness {
    /// With rounded numbers.
    pub fn new(target_lufs: f64, loudness_lufs: Option<f64>, true_peak_dbtp: Option<f64>) -> Self {
        let round = |number: f64| (number * 100.0).round() / 100.0;
        Self {
            target_lufs,
            loudness_lufs: loudness_lufs.map(round),
            true_peak_dbtp: true_peak_dbtp.map(round),
        }
    }
}

impl FileData {
    /// Nothing.
    pub const NONE: Self = Self::None { missed_loudness: None };

    /// Where a loudness target was not met.
    pub fn missed_loudness(&self) -> Option<MissedLoudness> {
        match self {
            Self::None { missed_loudness } | Self::Preview { missed_loudness, .. } => *missed_loudness,
            Self::Levels(_) | Self::Picture { .. } => None,
        }
    }
}

impl FileOutcome {
    /// The amplitudes of a waveform, if that is what was made.
    pub fn into_levels(self) -> Option<Vec<f64>> {
        match self {
            Self::Made { data: FileData::Levels(made), .. } => Some(made.levels),
            Self::Made { .. } | Self::Failed { .. } => None,
        }
    }

    /// The object that was stored.
    pub fn object(&self) -> Option<&ObjectKey> {
        match self {
            Self::Made { key, .. } => Some(key),
            Self::Failed { .. } => None,
        }
    }
}

impl TrackFile {
    /// The object that was stored.
    pub fn object(&self) -> Option<&ObjectKey> {
        self.outcome.object()
    }

    /// Whether it was made.
    pub fn is_made(&self) -> bool {
        matches!(self.outcome, FileOutcome::Made { .. })
    }

    /// How good it sounds, to choose the best of several by: the upload itself before what loses nothing, then the higher
    /// bitrate, then previews, then what is no sound.
    pub fn quality(&self) -> impl Ord + use<> {
        let (class, bitrate) = match &self.recipe.kind {
            RecipeKind::Original {} => (4, 0),
            RecipeKind::Transcode(transcode) if transcode.codec.is_lossless() => (3, 0),
            RecipeKind::Transcode(transcode) => (2, transcode.bitrate),
            RecipeKind::Preview(preview) => (1, preview.transcode.bitrate),
            _ => (0, 0),
        };
        (class, bitrate)
    }
}

/// A variant of a track that could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedVariant {
    /// Which variant.
    pub index: VariantIndex,
    /// Why, as a sentence for people.
    pub reason: String,
}

/// What failed, in the order of the files.
pub fn failed_variants(files: &[TrackFile]) -> Vec<FailedVariant> {
    let failed = |file: &TrackFile| match &file.outcome {
        FileOutcome::Made { .. } => None,
        FileOutcome::Failed { reason } => {
            Some(FailedVariant { index: file.recipe.index.clone(), reason: reason.clone() })
        }
    };
    files.iter().filter_map(failed).collect()
}

/// The recipes by which no file was made: they failed, or were not tried yet.
pub fn recipes_without_file<'a>(
    recipes: &'a [Recipe],
    files: &'a [TrackFile],
) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.id == recipe.id && file.is_made()))
}

/// The recipes that were not tried yet.
pub fn untried<'a>(recipes: &'a [Recipe], files: &'a [TrackFile]) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.id == recipe.id))
}
