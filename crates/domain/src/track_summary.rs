//! The short form of a track.

use crate::TrackId;
use crate::colour::Colour;
use crate::cover::CoverOrigin;
use crate::short_id::ShortId;
use crate::theme::Theme;
use crate::track::vibrant_colour;

/// The fields of a track that a player's list shows. A list may have thousands of tracks, so fields that can be large
/// are omitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackSummary {
    /// Its id.
    pub id: TrackId,
    /// Its short id.
    pub index: ShortId,
    /// Its position in the collection.
    pub order: i64,
    /// Seconds; 0 until probed.
    pub duration: f64,
    /// The sanitised name of its file.
    pub file_name: String,
    /// The title tag of its file.
    pub title_tag: Option<String>,
    /// The artist tag of its file.
    pub artist_tag: Option<String>,
    /// The title in players, if one was set.
    pub player_title: Option<String>,
    /// The line under the title in players, if one was set.
    pub player_subtitle: Option<String>,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Its colours.
    pub theme: Theme,
    /// The origin of its cover, if it has one.
    pub cover_origin: Option<CoverOrigin>,
    /// Whether colours found in the file's cover may be used.
    pub is_theme_overridable: bool,
}

impl TrackSummary {
    /// The most vibrant colour of its theme, if it applies; the same as for the track itself.
    pub fn vibrant_colour(&self) -> Option<Colour> {
        vibrant_colour(&self.theme, self.cover_origin, self.is_theme_overridable)
    }
}
