//! The targets of share links.

use crate::access::KeyScope;
use crate::{CollectionId, TrackId};

/// The target of a share link that covers less than the whole organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShareTarget {
    /// One track.
    Track(TrackId),
    /// All tracks of a collection.
    Collection(CollectionId),
}

impl ShareTarget {
    /// The target of keys with this scope; none if the scope is the whole organization.
    pub fn of(scope: KeyScope) -> Option<Self> {
        match (scope.track(), scope.collection()) {
            (Some(track), _) => Some(Self::Track(track)),
            (None, Some(collection)) => Some(Self::Collection(collection)),
            (None, None) => None,
        }
    }
}
