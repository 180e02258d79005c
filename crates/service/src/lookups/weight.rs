//! How much memory cached values take.

use serde_json::{Map, Value};
use tonearm_domain::{
    ApiKey, Chapter, Collection, FileData, FileOutcome, ObjectKey, Organization, PlaySession, Recipe,
    Selection, Theme, ThemeColour, Track, TrackFile, VariantId, VariantIndex,
};

use super::shared_list::SharedList;
use super::track_list::TrackList;
use crate::track_view::TrackSummaryView;

/// The memory that a value owns on the heap. The result is accurate enough to limit memory: everything that callers can
/// make large is counted in full, and allocations are assumed to be as large as their contents.
pub(super) trait Weight {
    /// Bytes that the value owns on the heap.
    fn heap_bytes(&self) -> usize;

    /// Whether it is a list with nothing in it. Like what is missing, it is read again each time: clients ask for a list
    /// once it has something.
    fn is_empty_list(&self) -> bool {
        false
    }
}

impl Weight for ApiKey {
    fn heap_bytes(&self) -> usize {
        let origins = self.allowed_origins.only().map(|list| &**list).unwrap_or_default();
        let origins: usize = origins.iter().map(|origin| size_of_val(origin) + origin.as_str().len()).sum();
        let recipes =
            self.recipes.names().map(|name| size_of::<(VariantIndex, VariantId)>() + name.as_str().len());
        self.title.len() + selection(&self.variants) + recipes.sum::<usize>() + origins
    }
}

impl Weight for PlaySession {
    fn heap_bytes(&self) -> usize {
        let recipes =
            self.recipes.names().map(|name| size_of::<(VariantIndex, VariantId)>() + name.as_str().len());
        selection(&self.variants)
            + recipes.sum::<usize>()
            + text(&self.organization_index)
            + map(self.metadata.as_map())
    }
}

impl Weight for Organization {
    fn heap_bytes(&self) -> usize {
        let urls = [&self.webhook_url, &self.webhook_url_file, &self.webhook_url_collection];
        self.name.len()
            + self.player_subtitle.len()
            + urls.into_iter().map(text).sum::<usize>()
            + theme(&self.theme)
    }
}

impl Weight for Collection {
    fn heap_bytes(&self) -> usize {
        self.title.len()
            + text(&self.organization_index)
            + text(&self.player_subtitle)
            + map(self.metadata.as_map())
            + theme(&self.theme)
    }
}

impl Weight for Vec<Recipe> {
    fn heap_bytes(&self) -> usize {
        self.iter().map(|recipe| size_of::<Recipe>() + recipe.index.as_str().len()).sum()
    }
}

impl Weight for TrackList {
    fn is_empty_list(&self) -> bool {
        self.is_empty()
    }

    fn heap_bytes(&self) -> usize {
        self.len()
    }
}

impl Weight for SharedList {
    fn heap_bytes(&self) -> usize {
        let tracks = self.tracks.iter().map(|view| {
            let track = &view.track;
            let texts = [
                &track.title_tag,
                &track.artist_tag,
                &track.player_title,
                &track.player_subtitle,
                &view.subtitle,
            ];
            let texts: usize = texts.into_iter().map(text).sum();
            size_of::<TrackSummaryView>()
                + texts
                + track.file_name.len()
                + view.title.len()
                + theme(&track.theme)
        });
        let first = self.first.as_ref().map_or(0, |first| first.track.heap_bytes());
        self.title.len() + text(&self.subtitle) + first + tracks.sum::<usize>()
    }
}

impl Weight for Track {
    fn heap_bytes(&self) -> usize {
        let texts = [
            &self.organization_index,
            &self.file_name_original,
            &self.player_title,
            &self.player_subtitle,
            &self.transcription,
            &self.transcription_language,
            &self.status_reason,
            &self.info.container,
            &self.info.codec,
        ];
        let tags =
            self.info.tags.iter().map(|(name, value)| 2 * size_of::<String>() + name.len() + value.len());
        let chapters = self.info.chapters.iter().map(|chapter| size_of::<Chapter>() + text(&chapter.title));
        self.file_name.len()
            + texts.into_iter().map(text).sum::<usize>()
            + tags.sum::<usize>()
            + chapters.sum::<usize>()
            + map(self.metadata.as_map())
            + theme(&self.theme)
            + self.source.as_ref().map_or(0, |source| object(&source.key))
    }
}

impl Weight for TrackFile {
    fn heap_bytes(&self) -> usize {
        let outcome = match &self.outcome {
            FileOutcome::Made { key, file_name, data, .. } => {
                let data = match data {
                    FileData::Levels(levels) => size_of_val(levels.levels.as_slice()),
                    FileData::None { .. } | FileData::Preview { .. } | FileData::Picture { .. } => 0,
                };
                object(key) + file_name.len() + data
            }
            FileOutcome::Failed { reason } => reason.len(),
        };
        self.recipe.index.as_str().len() + outcome
    }
}

fn theme(theme: &Theme) -> usize {
    let set = theme.set.as_ref().map_or(0, |set| set.colours().len());
    (set + theme.found.len()) * size_of::<ThemeColour>()
}

fn text(text: &Option<String>) -> usize {
    text.as_ref().map_or(0, String::len)
}

fn selection(selection: &Selection) -> usize {
    let indexes = selection.only().map(|list| &**list).unwrap_or_default();
    indexes.iter().map(|index| size_of::<VariantIndex>() + index.as_str().len()).sum()
}

fn object(key: &ObjectKey) -> usize {
    key.file.label.as_str().len()
}

fn map(map: &Map<String, Value>) -> usize {
    map.iter().map(|(name, value)| size_of::<(String, Value)>() + name.len() + json(value)).sum()
}

fn json(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(|value| size_of::<Value>() + json(value)).sum(),
        Value::Object(values) => map(values),
    }
}
