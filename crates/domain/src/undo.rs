//! What a change of many tracks was, kept for a while so that the person who made it can take it back.

use serde::{Deserialize, Serialize};

use crate::colour::ThemeColour;
use crate::cover::Cover;
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::{CollectionId, OrganizationId, PersonId, TrackId, UndoId};

/// A change that can be taken back.
#[derive(Debug, Clone, PartialEq)]
pub struct UndoEntry {
    /// Names it for whoever takes it back.
    pub id: UndoId,
    /// Whose tracks.
    pub organization_id: OrganizationId,
    /// Who made the change, and alone may take it back.
    pub person_id: PersonId,
    /// What was changed.
    pub change: UndoableChange,
    /// Until when it can be taken back.
    pub expires_at: Timestamp,
}

impl UndoEntry {
    /// How long a change can be taken back.
    pub const KEPT_SECONDS: i64 = 3600;
    /// Most changes of a person that are kept; the oldest go first.
    pub const MOST_PER_PERSON: u64 = 20;
}

/// What was changed, with what it takes to see whether it was changed again since.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum UndoableChange {
    /// Tracks were deleted.
    Deletion {
        /// Which ones.
        tracks: Vec<TrackId>,
    },
    /// Tracks were moved to another collection.
    Move {
        /// Which ones, in the order in which they were moved.
        tracks: Vec<MovedTrack>,
    },
    /// Tracks got other titles.
    Titles {
        /// Which ones.
        tracks: Vec<RetitledTrack>,
    },
    /// Tracks got another cover.
    Covers {
        /// Which ones.
        tracks: Vec<CoveredTrack>,
    },
    /// Tracks of a collection were put in another order.
    Order {
        /// Which collection.
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
    /// Which one.
    pub id: TrackId,
    /// The collection that it was in.
    pub from: CollectionId,
    /// The collection that it was moved to.
    pub to: CollectionId,
    /// The place that it got there.
    pub order: i64,
    /// The deleted row that keeps its old place.
    pub vacated: TrackId,
}

/// A track that got another cover. The files of the one before are kept longer than the change can be taken back: the sweep
/// removes them, a day after it has seen them first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CoveredTrack {
    /// Which one.
    pub id: TrackId,
    /// The cover that it had.
    pub before: Option<Cover>,
    /// The colours found in it.
    pub colours: Vec<ThemeColour>,
    /// The version of the cover that it got.
    pub after: ShortId,
}

/// A track that got another title.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetitledTrack {
    /// Which one.
    pub id: TrackId,
    /// The title that was set before.
    pub before: Option<String>,
    /// The title that was set after.
    pub after: Option<String>,
}
