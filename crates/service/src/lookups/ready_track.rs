//! A track, prepared for playback.

use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use tonearm_catalog::{Catalog, CatalogError};
use tonearm_domain::{
    FileData, FileOutcome, Levels, Metric, OrganizationId, RecipeType, Track, TrackFile, TrackId,
};

use super::weight::Weight;

/// A track with its files, and with precomputed data that is expensive to derive from them.
pub(crate) struct ReadyTrack {
    pub(crate) track: Track,
    /// In the order of the recipes.
    pub(crate) files: Vec<TrackFile>,
    /// Whether it has captions: words with times.
    pub(crate) has_captions: bool,
    /// The waveform that players show.
    pub(crate) levels: LevelsJson,
}

/// Waveform levels, serialized as the JSON of [`Levels`]. Hundreds of numbers take longer to serialize than the rest of
/// a response.
#[derive(Debug, Clone)]
pub struct LevelsJson(Arc<RawValue>);

impl ReadyTrack {
    pub(super) async fn load(
        catalog: &Catalog,
        organization_id: OrganizationId,
        id: TrackId,
    ) -> Result<Option<Self>, CatalogError> {
        let Some(track) = catalog.track(organization_id, id).await? else {
            return Ok(None);
        };
        let files = catalog.files_of_track(id).await?;
        let levels = LevelsJson::of(&files);
        let has_captions = track.transcription.is_some() && catalog.has_track_words(id).await?;
        Ok(Some(Self { track, files, has_captions, levels }))
    }
}

impl LevelsJson {
    /// The levels of the first levels recipe; empty if none were rendered.
    fn of(files: &[TrackFile]) -> Self {
        let levels = files
            .iter()
            .filter(|file| file.recipe.kind.recipe_type() == RecipeType::Levels)
            .find_map(|file| match &file.outcome {
                FileOutcome::Made { data: FileData::Levels(levels), .. } => Some(to_raw_value(levels)),
                _ => None,
            })
            .unwrap_or_else(|| to_raw_value(&Levels::new([], Metric::Peak, 0)));
        // Serializing a struct of numbers cannot fail: values such as NaN become null.
        Self(levels.map_or_else(|_| Arc::from(RawValue::NULL.to_owned()), Arc::from))
    }

    /// The JSON.
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

impl Serialize for LevelsJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl Weight for ReadyTrack {
    fn heap_bytes(&self) -> usize {
        let files = self.files.iter().map(|file| size_of::<TrackFile>() + file.heap_bytes());
        self.track.heap_bytes() + files.sum::<usize>() + self.levels.get().len()
    }
}
