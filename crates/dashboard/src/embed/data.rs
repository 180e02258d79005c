//! Player data: what `<tonearm-player src="…">` fetches. Addresses in it may be relative to its own.

use std::collections::BTreeMap;

use serde::Serialize;
use tonearm_domain::{Colour, FileData};
use tonearm_service::{CoverImage, LevelsJson};

/// All a player needs to begin.
#[derive(Debug, Serialize)]
pub(crate) struct PlayerData {
    pub(crate) ok: bool,
    /// Of the whole, where it is more than one track.
    pub(crate) title: Option<String>,
    pub(crate) tracks: Vec<ListedTrack>,
    /// The first to play; none where nothing can be played.
    pub(crate) track: Option<TrackData>,
}

/// A track in the player's list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedTrack {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) duration: f64,
    /// Where its own player data is.
    pub(crate) data: String,
}

/// A track, ready to be played.
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
    /// The part of the track that is heard, in its seconds; null: all of it.
    pub(crate) part: Option<PartData>,
    pub(crate) sources: Vec<SourceData>,
}

/// A part of a track, in seconds.
#[derive(Debug, Serialize)]
pub(crate) struct PartData {
    start: f64,
    end: f64,
}

/// The sound in one form.
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
}
