//! The fields of a track that come from an episode.

use serde_json::{Map, Value};
use tonearm_client::{ImportTrack, ListedTrack, UpdateTrack};
use tonearm_domain::CollectionId;

use super::show::{Episode, Show};

/// The fields of a track that come from the feed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrackFields {
    title: Option<String>,
    subtitle: Option<String>,
    metadata: Map<String, Value>,
}

impl TrackFields {
    pub(super) fn of(show: &Show, episode: &Episode) -> Self {
        let mut metadata = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            value.map(|value| metadata.insert(name.to_owned(), value));
        };
        add("guid", Some(episode.id.clone().into()));
        add("published_at", episode.published_at.map(|at| at.to_string().into()));
        add("link", episode.link.clone().map(Into::into));
        add("season", episode.season.map(Into::into));
        add("episode", episode.number.map(Into::into));
        add("episode_type", episode.kind.clone().map(Into::into));
        add("author", episode.author.clone().map(Into::into));
        add("feed_duration", episode.seconds.map(Into::into));
        let subtitle = Some(show.title.clone()).filter(|title| !title.is_empty());
        let subtitle = subtitle.or_else(|| episode.author.clone()).or_else(|| show.author.clone());
        Self { title: episode.title.clone(), subtitle, metadata }
    }

    pub(super) fn into_import(self, collection_id: CollectionId, episode: &Episode) -> ImportTrack {
        ImportTrack {
            collection_id,
            source_url: episode.file.to_string(),
            organization_index: episode.id.clone(),
            player_title: self.title,
            player_subtitle: self.subtitle,
            metadata: self.metadata,
        }
    }

    /// The update that a track needs, if any. Metadata that does not come from the feed is kept.
    pub(super) fn changes(self, track: &ListedTrack) -> Option<UpdateTrack> {
        let mut metadata = track.metadata.clone();
        metadata.extend(self.metadata);
        // If the feed has no title, the stored title comes from the file.
        let is_same = |own: &Option<String>, stored: &Option<String>| own.is_none() || own == stored;
        let is_unchanged = is_same(&self.title, &track.player_title)
            && is_same(&self.subtitle, &track.player_subtitle)
            && metadata == track.metadata;
        let update = UpdateTrack { player_title: self.title, player_subtitle: self.subtitle, metadata };
        (!is_unchanged).then_some(update)
    }
}
