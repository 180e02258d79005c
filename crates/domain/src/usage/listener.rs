//! Listeners, without data that identifies them.

use serde::{Deserialize, Serialize};

use super::{Day, Played, Segments};
use crate::country::CountryCode;
use crate::object_key::ObjectFile;
use crate::referrer::Referrer;
use crate::short_id::ShortId;
use crate::{ApiKeyId, OrganizationId};

/// A listener on one day: a keyed hash of the day, the network address and the user agent. The address cannot be
/// derived from it, and the same person has a different id on the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListenerId(u64);

impl ListenerId {
    /// Builds the id from the hash.
    pub const fn from_hash(hash: u64) -> Self {
        Self(hash)
    }

    /// The hash.
    pub const fn hash(self) -> u64 {
        self.0
    }
}

/// A listener and a track, or another object with files, on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerKey {
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The day on which the listening began.
    pub day: Day,
    /// The listener.
    pub listener: ListenerId,
    /// The folder of the track's files.
    pub folder: ShortId,
}

impl ListenerKey {
    /// How long the bytes that listeners took are stored, in seconds: longer than any node retries a batch.
    pub const KEPT_SECONDS: i64 = 9 * 24 * 3600;
}

/// How a listener reached a track, and from which country, if known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerOrigin {
    /// The key of the share link that was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_key_id: Option<ApiKeyId>,
    /// The site whose page the player is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<Referrer>,
    /// The country of the listener. Earlier versions neither write nor read this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<CountryCode>,
    /// Whether the listener is a member of the organization in the dashboard. Such playback is not counted as a listen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_member: bool,
}

impl ListenerOrigin {
    /// Fills in unknown fields from `more`.
    pub fn complete(&mut self, more: &Self) {
        self.share_key_id = self.share_key_id.or(more.share_key_id);
        self.country = self.country.or(more.country);
        self.is_member |= more.is_member;
        if self.referrer.is_none() {
            self.referrer.clone_from(&more.referrer);
        }
    }
}

/// What one node recorded about a listener since its last report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerEntry {
    /// The organization that owns the track.
    pub organization_id: OrganizationId,
    /// The day on which the listening began.
    pub day: Day,
    /// The listener.
    pub listener: ListenerId,
    /// The folder of the track's files.
    pub folder: ShortId,
    /// How the listener reached the track.
    #[serde(flatten)]
    pub origin: ListenerOrigin,
    /// The delivered bytes; none if the listener only opened the track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<TakenBytes>,
}

impl ListenerEntry {
    /// The listener, track and day of the entry.
    pub fn place(&self) -> ListenerKey {
        let Self { organization_id, day, listener, folder, .. } = *self;
        ListenerKey { organization_id, day, listener, folder }
    }
}

/// What is new about one file: bytes that the listener had not taken from the same node before, and what was played.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBytes {
    /// The file.
    pub file: ObjectFile,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The parts of the file that contain them.
    pub segments: Segments,
    /// The milliseconds of the file that the player has played. Earlier versions neither write nor read this field.
    #[serde(default, skip_serializing_if = "Played::is_empty")]
    pub played: Played,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_of_earlier_versions_have_no_country() {
        let earlier: ListenerOrigin = serde_json::from_str(r#"{"referrer": "blog.example"}"#).unwrap();
        assert_eq!(earlier.country, None);
        let mut origin = ListenerOrigin { country: "DE".parse().ok(), ..ListenerOrigin::default() };
        assert_eq!(serde_json::to_string(&origin).unwrap(), r#"{"country":"DE"}"#);
        // The first country of a day is kept.
        origin.complete(&ListenerOrigin { country: "FR".parse().ok(), ..earlier.clone() });
        assert_eq!(origin, ListenerOrigin { country: "DE".parse().ok(), ..earlier });
    }
}
