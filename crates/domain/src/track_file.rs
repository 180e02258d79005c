//! Files that were made of a track, or could not be.

use serde::{Deserialize, Serialize};

use crate::{FileId, Levels, ObjectKey, Recipe, RecipeKind, Timestamp, TrackId};

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
    /// Nothing.
    None {},
    /// The part of the track that a preview took, in seconds of the track.
    Preview {
        /// Its length.
        duration: f64,
        /// Where it starts.
        capture_start: f64,
        /// Where it ends.
        capture_end: f64,
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

impl TrackFile {
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

/// The recipes by which no file was made: they failed, or were not tried yet.
pub fn unmade<'a>(recipes: &'a [Recipe], files: &'a [TrackFile]) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.id == recipe.id && file.is_made()))
}

/// The recipes that were not tried yet.
pub fn untried<'a>(recipes: &'a [Recipe], files: &'a [TrackFile]) -> impl Iterator<Item = &'a Recipe> {
    recipes.iter().filter(|recipe| !files.iter().any(|file| file.recipe.id == recipe.id))
}
