//! What a share link is for.

use crate::access::KeyScope;
use crate::{CollectionId, TrackId};

/// What a share link is for, where it is for less than the whole organization.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShareTarget {
    /// One track.
    Track(TrackId),
    /// All tracks of a collection.
    Collection(CollectionId),
}

impl ShareTarget {
    /// The target of keys with a scope; none where they are for the whole organization.
    pub fn of(scope: KeyScope) -> Option<Self> {
        match (scope.track(), scope.collection()) {
            (Some(track), _) => Some(Self::Track(track)),
            (None, Some(collection)) => Some(Self::Collection(collection)),
            (None, None) => None,
        }
    }
}
