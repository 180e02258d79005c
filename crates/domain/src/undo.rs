//! Changes of many tracks, stored for a limited time so that the person who made them can undo them.

use serde::{Deserialize, Serialize};

use crate::colour::ThemeColour;
use crate::cover::Cover;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::{CollectionId, OrganizationId, PersonId, TrackId, UndoId};

/// A change that can be undone.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoEntry {
    /// Its id, used to undo it.
    pub id: UndoId,
    /// The organization that owns the tracks.
    pub organization_id: OrganizationId,
    /// The person who made the change. Only this person may undo it.
    pub person_id: PersonId,
    /// The change.
    pub change: UndoableChange,
    /// Until when it can be undone.
    pub expires_at: Timestamp,
}

impl UndoEntry {
    /// How long a change can be undone, in seconds.
    pub const KEPT_SECONDS: i64 = 3600;
    /// Maximum number of stored changes of a person; the oldest are removed first.
    pub const MOST_PER_PERSON: u64 = 20;
}

/// A change, with the data needed to detect whether the tracks were changed again since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UndoableChange {
    /// Tracks were deleted.
    Deletion {
        /// The tracks.
        tracks: Vec<TrackId>,
    },
    /// Tracks were moved to another collection.
    Move {
        /// The tracks, in the order in which they were moved.
        tracks: Vec<MovedTrack>,
    },
    /// Titles of tracks were changed.
    Titles {
        /// The tracks.
        tracks: Vec<RetitledTrack>,
    },
    /// Covers of tracks were changed.
    Covers {
        /// The tracks.
        tracks: Vec<CoveredTrack>,
    },
    /// Tracks of a collection were put in another order.
    Order {
        /// The collection.
        collection_id: CollectionId,
        /// The order before.
        before: Vec<TrackId>,
        /// The order after.
        after: Vec<TrackId>,
    },
}

/// A track that was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MovedTrack {
    /// The track.
    pub id: TrackId,
    /// The collection that it was in.
    pub from: CollectionId,
    /// The collection that it was moved to.
    pub to: CollectionId,
    /// Its new position in that collection.
    pub order: i64,
    /// The deleted row that keeps its old position.
    pub vacated: TrackId,
}

/// A track whose cover was changed. The files of the old cover are kept longer than the change can be undone: the sweep
/// removes them a day after it first finds them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoveredTrack {
    /// The track.
    pub id: TrackId,
    /// The old cover.
    pub before: Option<Cover>,
    /// The colours found in the old cover.
    pub colours: Vec<ThemeColour>,
    /// The version of the new cover.
    pub after: ShortId,
}

/// A track whose title was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetitledTrack {
    /// The track.
    pub id: TrackId,
    /// The title that was set before.
    pub before: Option<String>,
    /// The title that was set after.
    pub after: Option<String>,
}
