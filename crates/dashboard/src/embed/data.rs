//! Player data: what `<tonearm-player src="…">` fetches. URLs in it may be relative to its own.

use std::collections::BTreeMap;

use serde::Serialize;
use tonearm_domain::{Chapter, Colour, FileData};
use tonearm_service::{CoverImage, LevelsJson};

/// Everything a player needs to start.
#[derive(Debug, Serialize)]
pub(crate) struct PlayerData {
    pub(crate) ok: bool,
    /// The title of the whole, if it has more than one track.
    pub(crate) title: Option<String>,
    /// At most 1000.
    pub(crate) tracks: Vec<ListedTrack>,
    /// The URL of the player data with the tracks that follow.
    pub(crate) next: Option<String>,
    /// The track to play first; `None` if no track can be played.
    pub(crate) track: Option<TrackData>,
}

/// A track in the player's list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedTrack {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) duration: f64,
    /// The URL of its own player data.
    pub(crate) data: String,
}

/// A playable track.
#[derive(Debug, Serialize)]
pub(crate) struct TrackData {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) duration: f64,
    pub(crate) player_color: Colour,
    pub(crate) player_color_light: Colour,
    pub(crate) player_color_dark: Colour,
    pub(crate) cover: BTreeMap<&'static str, String>,
    pub(crate) levels: LevelsJson,
    /// Chapters that are audible at least in part, with times in seconds of the whole track.
    pub(crate) chapters: Vec<Chapter>,
    /// The part of the track that is played, in seconds; null for the whole track.
    pub(crate) part: Option<PartData>,
    pub(crate) sources: Vec<SourceData>,
    /// The URL of the captions as WebVTT, with times relative to the part that is played.
    pub(crate) captions: Option<String>,
}

/// A part of a track, in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct PartData {
    start: f64,
    end: f64,
}

/// The sound in one variant.
#[derive(Debug, Serialize)]
pub(crate) struct SourceData {
    pub(crate) url: String,
    #[serde(rename = "type")]
    pub(crate) content_type: &'static str,
    pub(crate) label: String,
}

/// Covers by the name of their size.
pub(crate) fn covers(images: &[CoverImage]) -> BTreeMap<&'static str, String> {
    images.iter().map(|CoverImage { size, url }| (size.as_str(), url.clone())).collect()
}

impl PartData {
    pub(crate) fn of(data: &FileData) -> Option<Self> {
        match *data {
            FileData::Preview { capture_start, capture_end, .. } => {
                Some(Self { start: capture_start, end: capture_end })
            }
            _ => None,
        }
    }

    /// The chapters that overlap the part; all chapters if there is no part.
    pub(crate) fn chapters(part: Option<&Self>, all: Vec<Chapter>) -> Vec<Chapter> {
        let is_heard =
            |chapter: &Chapter| part.is_none_or(|part| chapter.start < part.end && chapter.end > part.start);
        all.into_iter().filter(is_heard).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_names_only_the_chapters_that_are_heard_in_it() {
        let chapter = |start, end| Chapter { start, end, title: None };
        let all = vec![chapter(0.0, 10.0), chapter(10.0, 20.0), chapter(20.0, 30.0)];
        let part = PartData { start: 10.0, end: 21.0 };
        assert_eq!(PartData::chapters(Some(&part), all.clone()), all[1..]);
        assert_eq!(PartData::chapters(None, all.clone()), all);
    }
}
