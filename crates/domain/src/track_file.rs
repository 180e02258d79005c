//! Files of tracks, rendered or failed.

use serde::{Deserialize, Serialize};

use crate::colour::Colour;
use crate::levels::Levels;
use crate::object_key::ObjectKey;
use crate::recipe::{Recipe, RecipeKind};
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;
use crate::{FileId, TrackId};

/// The file of one recipe for one track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFile {
    /// Its id.
    pub id: FileId,
    /// The track.
    pub track_id: TrackId,
    /// The recipe as it is now, except for its settings, which are those that the file was rendered with.
    pub recipe: Recipe,
    /// The outcome of rendering it.
    pub outcome: FileOutcome,
    /// When it was created.
    pub created_at: Timestamp,
}

/// The outcome of rendering a file.
#[expect(clippy::large_enum_variant, reason = "nearly every file is made")]
#[derive(Debug, Clone, PartialEq)]
pub enum FileOutcome {
    /// It was rendered.
    Made {
        /// The key of its object.
        key: ObjectKey,
        /// Its size in bytes.
        size: u64,
        /// The SHA-256 of its bytes; none for files that were rendered before it was recorded.
        sha256: Option<[u8; 32]>,
        /// The name it is delivered under.
        file_name: String,
        /// Additional data.
        data: FileData,
        /// A hash of everything besides the settings of the recipe that determines its bytes: the source, and the words
        /// that were written into it. None if it also depends on anything else, or was made before this was recorded.
        made_from: Option<[u8; 32]>,
    },
    /// It could not be rendered.
    Failed {
        /// Why, as a sentence for people.
        reason: String,
    },
}

/// Additional data of a rendered file, by its kind. In SQL this is JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FileData {
    /// No data, unless it missed its loudness target.
    None {
        /// The loudness target that was missed, if any.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        missed_loudness: Option<MissedLoudness>,
    },
    /// The part of the track that a preview contains, in seconds of the track.
    Preview {
        /// Its length.
        duration: f64,
        /// Where it starts.
        capture_start: f64,
        /// Where it ends.
        capture_end: f64,
        /// The loudness target that was missed, if any.
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
        /// The player colour of the track that it is drawn in; none if it has a colour of its own, or was drawn before
        /// this was recorded.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        colour: Option<Colour>,
    },
}

/// A loudness target that could not be reached, and the measured result. Numbers have two decimals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct MissedLoudness {
    /// The requested loudness, in LUFS.
    pub target_lufs: f64,
    /// The integrated loudness of the file, in LUFS; none if there is nothing to measure: silence, or less than 0.4 s.
    pub loudness_lufs: Option<f64>,
    /// The true peak of the file, in dBTP; none for digital silence.
    pub true_peak_dbtp: Option<f64>,
}

impl MissedLoudness {
    /// Rounds the numbers.
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
    /// No data.
    pub const NONE: Self = Self::None { missed_loudness: None };

    /// The loudness target that was missed, if any.
    pub fn missed_loudness(&self) -> Option<MissedLoudness> {
        match self {
            Self::None { missed_loudness } | Self::Preview { missed_loudness, .. } => *missed_loudness,
            Self::Levels(_) | Self::Picture { .. } => None,
        }
    }
}

impl FileOutcome {
    /// The amplitudes, if the file contains waveform levels.
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

    /// Whether it was rendered by this recipe in its present revision.
    pub fn is_current(&self, recipe: &Recipe) -> bool {
        self.is_made() && self.recipe.is_same_revision(recipe)
    }

    /// The player colour that it is drawn in, if it depends on that and the colour is known.
    pub fn drawn_colour(&self) -> Option<Colour> {
        match &self.outcome {
            FileOutcome::Made { data: FileData::Picture { colour, .. }, .. } => *colour,
            _ => None,
        }
    }

    /// Whether it was rendered.
    pub fn is_made(&self) -> bool {
        matches!(self.outcome, FileOutcome::Made { .. })
    }

    /// A sort key for the audio quality, to choose the best of several files. From best to worst: the upload itself,
    /// lossless files, other files by bitrate, previews, files without audio.
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

/// A variant of a track that could not be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedVariant {
    /// The variant.
    pub index: VariantIndex,
    /// Why, as a sentence for people.
    pub reason: String,
}

/// The failed variants, in the order of the files.
pub fn failed_variants(files: &[TrackFile]) -> Vec<FailedVariant> {
    let failed = |file: &TrackFile| match &file.outcome {
        FileOutcome::Made { .. } => None,
        FileOutcome::Failed { reason } => {
            Some(FailedVariant { index: file.recipe.index.clone(), reason: reason.clone() })
        }
    };
    files.iter().filter_map(failed).collect()
}

/// The recipes without a rendered file: they failed, or were not tried yet.
pub fn recipes_without_file<'a>(
    recipes: &'a [Recipe],
    files: &'a [TrackFile],
) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.id == recipe.id && file.is_made()))
}

/// The recipes that were not tried yet in their present revision.
pub fn untried<'a>(recipes: &'a [Recipe], files: &'a [TrackFile]) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.is_same_revision(recipe)))
}
