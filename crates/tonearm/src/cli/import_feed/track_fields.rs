//! The fields of a track that come from an episode.

use serde_json::{Map, Value};
use tonearm_client::{ImportTrack, ListedTrack, UpdateTrack};
use tonearm_domain::CollectionId;

use super::show::{Episode, Show};

/// The name in the metadata of a track under which the last values from the feed are kept, by the names of the fields.
const LAST: &str = "feed";

/// The fields of a track that come from the feed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TrackFields {
    title: Option<String>,
    subtitle: Option<String>,
    metadata: Map<String, Value>,
}

/// What an episode changes in its track.
pub(super) struct Changes {
    pub(super) update: UpdateTrack,
    /// Whether more changes than the values that are kept for the next comparison.
    pub(super) is_visible: bool,
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

    pub(super) fn into_import(mut self, collection_id: CollectionId, episode: &Episode) -> ImportTrack {
        self.metadata.insert(LAST.to_owned(), self.values().into());
        ImportTrack {
            collection_id,
            source_url: episode.file.to_string(),
            organization_index: episode.id.clone(),
            player_title: self.title,
            player_subtitle: self.subtitle,
            metadata: self.metadata,
        }
    }

    /// All values that the feed has, by the names of the fields.
    fn values(&self) -> Map<String, Value> {
        let mut values = self.metadata.clone();
        for (name, text) in [(TITLE, &self.title), (SUBTITLE, &self.subtitle)] {
            text.clone().map(|text| values.insert(name.to_owned(), text.into()));
        }
        values
    }

    /// The update that a track needs, if any: of what the feed has changed since the last import, which people may have changed,
    /// too. Everything else is theirs. Of a track without values of the last import, the values of now are kept for the next.
    pub(super) fn changes(self, track: &ListedTrack) -> Option<Changes> {
        let last = track.metadata.get(LAST).and_then(Value::as_object);
        let values = self.values();
        if Some(&values) == last {
            return None;
        }
        let changed: Map<String, Value> = values
            .iter()
            .filter(|(name, value)| last.is_some_and(|last| last.get(*name) != Some(value)))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut metadata = track.metadata.clone();
        // What the feed no longer has. Titles stay: a track always shows one.
        metadata
            .retain(|name, _| values.contains_key(name) || !last.is_some_and(|last| last.contains_key(name)));
        metadata.extend(self.metadata.into_iter().filter(|(name, _)| changed.contains_key(name)));
        let is_visible = metadata != track.metadata;
        metadata.insert(LAST.to_owned(), values.into());
        let title = self.title.filter(|_| changed.contains_key(TITLE));
        let subtitle = self.subtitle.filter(|_| changed.contains_key(SUBTITLE));
        let differs = |own: &Option<String>, stored: &Option<String>| own.is_some() && own != stored;
        let is_visible =
            is_visible || differs(&title, &track.player_title) || differs(&subtitle, &track.player_subtitle);
        let update = UpdateTrack { player_title: title, player_subtitle: subtitle, metadata };
        Some(Changes { update, is_visible })
    }
}

const TITLE: &str = "title";
const SUBTITLE: &str = "subtitle";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(metadata: Value) -> TrackFields {
        let Value::Object(metadata) = metadata else { unreachable!() };
        TrackFields { title: Some("One".to_owned()), subtitle: None, metadata }
    }

    fn track(metadata: Value) -> ListedTrack {
        let id = "018f0000-0000-7000-8000-000000000001";
        let track = json!({
            "id": id, "track_status_id": "ready", "status_reason": null, "organization_index": "g1",
            "player_title": "One", "player_subtitle": null, "metadata": metadata,
        });
        serde_json::from_value(track).unwrap()
    }

    #[test]
    fn what_the_feed_removed_is_removed() {
        let last = json!({"guid": "g1", "season": 2, "title": "One"});
        let stored = track(json!({"guid": "g1", "season": 2, "mine": 1, "feed": last}));
        let changes = fields(json!({"guid": "g1"})).changes(&stored).unwrap();
        let kept = json!({"guid": "g1", "title": "One"});
        assert_eq!(Value::from(changes.update.metadata), json!({"guid": "g1", "mine": 1, "feed": kept}));
        assert!(changes.is_visible);
        let stored = track(json!({"guid": "g1", "mine": 1, "feed": kept}));
        assert!(fields(json!({"guid": "g1"})).changes(&stored).is_none());
    }
}
