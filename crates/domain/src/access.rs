//! Who may do what: the types of keys, the scopes they are limited to, and the actions they permit.

use serde::{Deserialize, Serialize};

use crate::selection::MOST_NAMED_VARIANTS;
use crate::{CollectionId, TrackId};

/// The type of an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyType {
    /// Everything in its scope.
    Api,
    /// Creates and reads play sessions.
    Player,
    /// Creates upload sessions.
    Uploader,
    /// Only the inline share stream.
    Share,
}

/// What a request wants to do, as far as key types distinguish it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Read or change organizations, collections, tracks, variants, creators or keys.
    Manage,
    /// Create or read a play session.
    Play,
    /// Create an upload session.
    Upload,
    /// Be redirected to a signed URL by an inline share link.
    Share,
}

impl KeyType {
    /// Every type, in the order they are shown.
    pub const ALL: [Self; 4] = [Self::Api, Self::Player, Self::Uploader, Self::Share];

    /// Whether a key of this type may do this at all.
    pub fn permits(self, action: Action) -> bool {
        match self {
            Self::Api => action != Action::Share,
            Self::Player => action == Action::Play,
            Self::Uploader => action == Action::Upload,
            Self::Share => action == Action::Share,
        }
    }

    /// The type as text, as in SQL, JSON and on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Api => "api",
            Self::Player => "player",
            Self::Uploader => "uploader",
            Self::Share => "share",
        }
    }

    /// The letter that identifies the type inside a key.
    pub const fn letter(self) -> char {
        match self {
            Self::Api => 'a',
            Self::Player => 'p',
            Self::Uploader => 'u',
            Self::Share => 's',
        }
    }

    /// The type that a letter inside a key identifies.
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.letter() == letter)
    }
}

impl std::str::FromStr for KeyType {
    type Err = ScopeError;
    fn from_str(text: &str) -> Result<Self, ScopeError> {
        Self::ALL.into_iter().find(|t| t.as_str() == text).ok_or(ScopeError::UnknownType)
    }
}

/// The part of its organization that a key can access.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyScope {
    /// The whole organization.
    Organization,
    /// One collection and its tracks.
    Collection(CollectionId),
    /// One track of one collection.
    Track(CollectionId, TrackId),
}

/// A key whose fields contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// A track without its collection.
    #[error("is required with `track_id`: a key for a track must also name its collection")]
    TrackWithoutCollection,
    /// A share key without exactly one variant.
    #[error("must name exactly one variant for a share key")]
    ShareNeedsOneVariant,
    /// A share key that is limited to some origins.
    #[error("cannot be set for a share key: browsers play its links without sending an Origin header")]
    ShareHasNoOrigins,
    /// More variants than one request may name.
    #[error("cannot name more than {MOST_NAMED_VARIANTS} variants")]
    TooManyVariants,
    /// Not one of the four types.
    #[error("must be api, player, uploader or share")]
    UnknownType,
}

impl KeyScope {
    /// Builds the scope from the optional fields of a key.
    pub fn new(collection: Option<CollectionId>, track: Option<TrackId>) -> Result<Self, ScopeError> {
        match (collection, track) {
            (None, None) => Ok(Self::Organization),
            (Some(collection), None) => Ok(Self::Collection(collection)),
            (Some(collection), Some(track)) => Ok(Self::Track(collection, track)),
            (None, Some(_)) => Err(ScopeError::TrackWithoutCollection),
        }
    }

    /// Whether the scope includes the whole organization: its settings, and objects that belong to no collection.
    pub fn covers_organization(self) -> bool {
        self == Self::Organization
    }

    /// Whether the scope includes a collection as a whole: listing it, or creating tracks in it.
    pub fn covers_collection(self, collection: CollectionId) -> bool {
        match self {
            Self::Organization => true,
            Self::Collection(own) => own == collection,
            Self::Track(..) => false,
        }
    }

    /// Whether the scope includes a track.
    pub fn covers_track(self, collection: CollectionId, track: TrackId) -> bool {
        match self {
            Self::Organization => true,
            Self::Collection(own) => own == collection,
            Self::Track(own, own_track) => own == collection && own_track == track,
        }
    }

    /// The collection that the scope is limited to, if any.
    pub fn collection(self) -> Option<CollectionId> {
        match self {
            Self::Organization => None,
            Self::Collection(collection) | Self::Track(collection, _) => Some(collection),
        }
    }

    /// The track that the scope is limited to, if any.
    pub fn track(self) -> Option<TrackId> {
        match self {
            Self::Track(_, track) => Some(track),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordId;
    use crate::timestamp::Timestamp;

    #[test]
    fn each_type_permits_its_own() {
        use Action::*;
        for (key, allowed) in [
            (KeyType::Api, vec![Manage, Play, Upload]),
            (KeyType::Player, vec![Play]),
            (KeyType::Uploader, vec![Upload]),
            (KeyType::Share, vec![Share]),
        ] {
            for action in [Manage, Play, Upload, Share] {
                assert_eq!(key.permits(action), allowed.contains(&action), "{key:?} {action:?}");
            }
        }
    }

    #[test]
    fn letters_and_names_name_one_type() {
        for t in KeyType::ALL {
            assert_eq!(KeyType::from_letter(t.letter()), Some(t));
            assert_eq!(t.as_str().parse(), Ok(t));
        }
    }

    #[test]
    fn a_scope_reaches_no_further() {
        let now = Timestamp::from_unix_millis(0).unwrap();
        let [c1, c2] = [1, 2].map(|n| CollectionId::from_parts(now, [n; 10]));
        let [t1, t2] = [1, 2].map(|n| TrackId::from_parts(now, [n; 10]));
        assert!(KeyScope::Organization.covers_track(c1, t1));
        assert!(KeyScope::Collection(c1).covers_track(c1, t2));
        assert!(!KeyScope::Collection(c1).covers_track(c2, t1));
        assert!(KeyScope::Track(c1, t1).covers_track(c1, t1));
        assert!(!KeyScope::Track(c1, t1).covers_track(c1, t2));
        assert!(!KeyScope::Track(c1, t1).covers_track(c2, t1));
        assert!(!KeyScope::Track(c1, t1).covers_collection(c1));
        assert!(!KeyScope::Collection(c1).covers_organization());
        assert_eq!(KeyScope::new(None, Some(t1)), Err(ScopeError::TrackWithoutCollection));
    }
}
