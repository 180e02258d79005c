//! The short form of a track.

use crate::track::vibrant_colour;
use crate::{Colour, CoverOrigin, ShortId, ThemeColour, TrackId};

/// What a player's list shows of a track. A list may have thousands of them, so this leaves out whatever can be
/// large.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackSummary {
    /// Its id.
    pub id: TrackId,
    /// Its short id.
    pub index: ShortId,
    /// Its place in the collection.
    pub order: i64,
    /// Seconds; 0 until probed.
    pub duration: f64,
    /// The title in players.
    pub player_title: Option<String>,
    /// The line under the title in players.
    pub player_subtitle: Option<String>,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Colours found in its cover.
    pub theme: Vec<ThemeColour>,
    /// Where its cover came from, if it has any.
    pub cover_origin: Option<CoverOrigin>,
    /// Whether colours found in the file's cover may be used.
    pub is_theme_overridable: bool,
}

impl TrackSummary {
    /// The most vibrant colour of its cover, where that counts; the same as of the track itself.
    pub fn vibrant_colour(&self) -> Option<Colour> {
        vibrant_colour(&self.theme, self.cover_origin, self.is_theme_overridable)
    }
}
