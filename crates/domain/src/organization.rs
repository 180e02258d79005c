//! Organizations and collections.

use crate::colour::{Colour, ThemeColour};
use crate::cover::Cover;
use crate::short_id::ShortId;
use crate::text::Metadata;
use crate::theme::Theme;
use crate::timestamp::Timestamp;
use crate::{CollectionId, CreatorId, OrganizationId};

/// An organization: the owner of collections, tracks, keys and recipes.
#[derive(Debug, Clone, PartialEq)]
pub struct Organization {
    /// Its id.
    pub id: OrganizationId,
    /// The folder its own files are in.
    pub folder: ShortId,
    /// Its name.
    pub name: String,
    /// Its own cover; columns `cover_version` and `cover_origin`.
    pub cover: Option<Cover>,
    /// Its colours.
    pub theme: Theme,
    /// Whether collections and tracks may override its colours.
    pub is_theme_overridable: bool,
    /// Whether collections and tracks may override its cover.
    pub is_cover_overridable: bool,
    /// Its player colour.
    pub player_colour: Colour,
    /// The line under the title in players.
    pub player_subtitle: String,
    /// The URL for track events.
    pub webhook_url: Option<String>,
    /// The URL for file events.
    pub webhook_url_file: Option<String>,
    /// The URL for collection events.
    pub webhook_url_collection: Option<String>,
    /// Whether spoken words are transcribed.
    pub is_transcription_enabled: bool,
    /// Whether tracks can be played while they are being processed, with the files that are ready.
    pub is_early_sound: bool,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Organization {
    /// A new organization with nothing set but its name.
    pub fn new(id: OrganizationId, folder: ShortId, name: String, created_at: Timestamp) -> Self {
        Self {
            id,
            folder,
            name,
            cover: None,
            theme: Theme::default(),
            is_theme_overridable: true,
            is_cover_overridable: true,
            player_colour: Colour::DEFAULT,
            player_subtitle: String::new(),
            webhook_url: None,
            webhook_url_file: None,
            webhook_url_collection: None,
            is_transcription_enabled: false,
            is_early_sound: false,
            created_at,
        }
    }
}

/// A collection of tracks.
#[derive(Debug, Clone, PartialEq)]
pub struct Collection {
    /// Its id.
    pub id: CollectionId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The creator that it is attributed to.
    pub creator_id: Option<CreatorId>,
    /// The folder its own files are in.
    pub folder: ShortId,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// Its title.
    pub title: String,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Its own cover; columns `cover_version` and `cover_origin`.
    pub cover: Option<Cover>,
    /// Its colours.
    pub theme: Theme,
    /// Whether its tracks may override its cover.
    pub is_cover_overridable: bool,
    /// Whether its tracks may override its colours.
    pub is_theme_overridable: bool,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Its own line under the title.
    pub player_subtitle: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was soft-deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

impl Collection {
    /// Its own player colour: the one set manually, otherwise the most vibrant colour of its theme.
    pub fn colour(&self) -> Option<Colour> {
        self.player_colour.or_else(|| ThemeColour::most_vibrant(self.theme.colours()))
    }
}
