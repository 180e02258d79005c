//! Who listens, without saying who it is.

use serde::{Deserialize, Serialize};

use super::{Day, Segments};
use crate::country::CountryCode;
use crate::object_key::ObjectFile;
use crate::referrer::Referrer;
use crate::short_id::ShortId;
use crate::{ApiKeyId, OrganizationId};

/// A listener on one day: a keyed hash of the day, the network address and the user agent. It cannot be taken back to the
/// address, and the same person has another one on the next day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ListenerId(u64);

impl ListenerId {
    /// From the hash.
    pub const fn from_hash(hash: u64) -> Self {
        Self(hash)
    }

    /// The hash.
    pub const fn hash(self) -> u64 {
        self.0
    }
}

/// A listener and a track, or something else with files, on one day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ListenerKey {
    /// Whose track it is.
    pub organization_id: OrganizationId,
    /// When it began.
    pub day: Day,
    /// Who.
    pub listener: ListenerId,
    /// The folder of the track's files.
    pub folder: ShortId,
}

impl ListenerKey {
    /// Seconds for which it is known what listeners took: longer than any node goes on submitting what it counted.
    pub const KEPT_SECONDS: i64 = 9 * 24 * 3600;
}

/// How a listener came to a track, and from which country, as far as that is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerOrigin {
    /// The key of the share link that was opened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub share_key_id: Option<ApiKeyId>,
    /// The site whose page the player is on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub referrer: Option<Referrer>,
    /// The country that they are in. Earlier versions neither write nor read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub country: Option<CountryCode>,
    /// Whether it is somebody of the organization who heard it in the dashboard: what they hear is not a listen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_member: bool,
}

impl ListenerOrigin {
    /// Adds what is not known yet.
    pub fn complete(&mut self, more: &Self) {
        self.share_key_id = self.share_key_id.or(more.share_key_id);
        self.country = self.country.or(more.country);
        self.is_member |= more.is_member;
        if self.referrer.is_none() {
            self.referrer.clone_from(&more.referrer);
        }
    }
}

/// What one node learned of a listener since it last told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListenerEntry {
    /// Whose track it is.
    pub organization_id: OrganizationId,
    /// The day on which it began.
    pub day: Day,
    /// Who.
    pub listener: ListenerId,
    /// The folder of the track's files.
    pub folder: ShortId,
    /// How they came to the track.
    #[serde(flatten)]
    pub origin: ListenerOrigin,
    /// What was delivered; none where the listener only opened the track.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken: Option<TakenBytes>,
}

impl ListenerEntry {
    /// What it is about.
    pub fn place(&self) -> ListenerKey {
        let Self { organization_id, day, listener, folder, .. } = *self;
        ListenerKey { organization_id, day, listener, folder }
    }
}

/// Bytes of one file that a listener had not taken from the same node before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBytes {
    /// Which file.
    pub file: ObjectFile,
    /// The size of the whole file in bytes.
    pub size: u64,
    /// How many bytes.
    pub bytes: u64,
    /// In which parts of the file they are.
    pub segments: Segments,
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
        // The first country of a day stays.
        origin.complete(&ListenerOrigin { country: "FR".parse().ok(), ..earlier.clone() });
        assert_eq!(origin, ListenerOrigin { country: "DE".parse().ok(), ..earlier });
    }
}
