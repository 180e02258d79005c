//! Events that are sent to webhooks.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The kind of an event (`event` in payloads, `X-ADN-Event`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum EventKind {
    /// Processing of a track ended, or never began.
    TrackStatusChanged,
    /// A file of a track was rendered.
    TrackFileCreated,
    /// A file of a track could not be rendered.
    TrackFileFailed,
    /// A collection was created.
    CollectionCreated,
    /// A collection was changed.
    CollectionUpdated,
    /// A collection was deleted.
    CollectionDeleted,
    /// A test event, sent to try an endpoint.
    WebhookTest,
}

/// The three kinds of endpoint that an organization may have, one of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub enum WebhookKind {
    /// Receives events about tracks; `webhook_url`.
    Track,
    /// Receives events about files; `webhook_url_file`.
    File,
    /// Receives events about collections; `webhook_url_collection`.
    Collection,
}

/// Text that is not an event or not a kind of webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// Not an event.
    #[error("unknown event")]
    Event,
    /// Not a kind of webhook.
    #[error("must be track, file or collection")]
    Kind,
}

impl EventKind {
    /// Every event.
    pub const ALL: [Self; 7] = [
        Self::TrackStatusChanged,
        Self::TrackFileCreated,
        Self::TrackFileFailed,
        Self::CollectionCreated,
        Self::CollectionUpdated,
        Self::CollectionDeleted,
        Self::WebhookTest,
    ];

    /// The event as text, as in payloads, headers and SQL.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::TrackStatusChanged => "track.status_changed",
            Self::TrackFileCreated => "track_file.created",
            Self::TrackFileFailed => "track_file.failed",
            Self::CollectionCreated => "collection.created",
            Self::CollectionUpdated => "collection.updated",
            Self::CollectionDeleted => "collection.deleted",
            Self::WebhookTest => "webhook.test",
        }
    }
}

impl WebhookKind {
    /// Every kind.
    pub const ALL: [Self; 3] = [Self::Track, Self::File, Self::Collection];

    /// The events that endpoints of this kind receive.
    pub const fn events(self) -> &'static [EventKind] {
        match self {
            Self::Track => &[EventKind::TrackStatusChanged],
            Self::File => &[EventKind::TrackFileCreated, EventKind::TrackFileFailed],
            Self::Collection => {
                &[EventKind::CollectionCreated, EventKind::CollectionUpdated, EventKind::CollectionDeleted]
            }
        }
    }

    /// The kind as text, as in SQL and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Track => "track",
            Self::File => "file",
            Self::Collection => "collection",
        }
    }
}

impl FromStr for EventKind {
    type Err = EventError;
    fn from_str(text: &str) -> Result<Self, EventError> {
        Self::ALL.into_iter().find(|event| event.as_str() == text).ok_or(EventError::Event)
    }
}

impl FromStr for WebhookKind {
    type Err = EventError;
    fn from_str(text: &str) -> Result<Self, EventError> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(EventError::Kind)
    }
}

impl TryFrom<String> for EventKind {
    type Error = EventError;
    fn try_from(text: String) -> Result<Self, EventError> {
        text.parse()
    }
}

impl TryFrom<String> for WebhookKind {
    type Error = EventError;
    fn try_from(text: String) -> Result<Self, EventError> {
        text.parse()
    }
}

impl From<EventKind> for &'static str {
    fn from(event: EventKind) -> Self {
        event.as_str()
    }
}

impl From<WebhookKind> for &'static str {
    fn from(kind: WebhookKind) -> Self {
        kind.as_str()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_event_but_the_test_has_one_kind() {
        for event in EventKind::ALL {
            let kinds = WebhookKind::ALL.into_iter().filter(|kind| kind.events().contains(&event)).count();
            assert_eq!(kinds, usize::from(event != EventKind::WebhookTest), "{event:?}");
        }
    }
}
