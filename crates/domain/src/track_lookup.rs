//! Queries for tracks through the API: filters, order and position.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::limits::LimitOffset;
use crate::listing::SearchWords;
use crate::timestamp::Timestamp;
use crate::track_status::TrackStatus;
use crate::{CollectionId, CreatorId, TrackId};

/// Filters for tracks. A filter that is `None` matches all tracks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackFilter {
    /// Only this track.
    pub track: Option<TrackId>,
    /// Only tracks of this collection.
    pub collection: Option<CollectionId>,
    /// Only tracks of this creator.
    pub creator: Option<CreatorId>,
    /// Only tracks with exactly this external id.
    pub organization_index: Option<String>,
    /// Only tracks whose source has this SHA-256.
    pub source_sha256: Option<[u8; 32]>,
    /// Only tracks with one of these statuses. An empty list matches no track.
    pub statuses: Option<Vec<TrackStatus>>,
    /// Only tracks created at this moment or later.
    pub created_since: Option<Timestamp>,
    /// Only tracks that contain all these words.
    pub words: Option<SearchWords>,
}

impl TrackFilter {
    /// Whether any filter other than `collection` is set.
    pub fn narrows(&self) -> bool {
        let Self {
            track,
            collection: _,
            creator,
            organization_index,
            source_sha256,
            statuses,
            created_since,
            words,
        } = self;
        track.is_some()
            || creator.is_some()
            || organization_index.is_some()
            || source_sha256.is_some()
            || statuses.is_some()
            || created_since.is_some()
            || words.is_some()
    }
}

/// The sort key of tracks. Ties are broken by id, so that every order is total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackOrderKey {
    /// The time of creation.
    Created,
    /// The title that players show.
    Title,
    /// The duration.
    Duration,
    /// Tracks that need attention first, then tracks being processed, then ready tracks.
    Status,
    /// As players show them. Only a collection has such an order.
    Order,
}

impl TrackOrderKey {
    /// Every key.
    pub const ALL: [Self; 5] = [Self::Created, Self::Title, Self::Duration, Self::Status, Self::Order];

    /// The key as text.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Title => "title",
            Self::Duration => "duration",
            Self::Status => "status",
            Self::Order => "order",
        }
    }

    /// Whether this is a valid sort value in a list that is sorted by this key.
    pub const fn has(self, value: &SortValue) -> bool {
        matches!(
            (self, value),
            (Self::Created, SortValue::None)
                | (Self::Title, SortValue::Text(_))
                | (Self::Duration, SortValue::Real(_))
                | (Self::Status | Self::Order, SortValue::Integer(_))
        )
    }
}

/// An order of tracks. As text, a key, with a leading minus for descending order, such as `-created`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackOrder {
    /// The sort key.
    pub key: TrackOrderKey,
    /// Whether the order is descending.
    pub is_descending: bool,
}

impl Default for TrackOrder {
    /// The newest first.
    fn default() -> Self {
        Self { key: TrackOrderKey::Created, is_descending: true }
    }
}

impl fmt::Display for TrackOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_descending { "-" } else { "" })?;
        f.write_str(self.key.as_str())
    }
}

/// Text that is not an order of tracks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be created, title, duration, status or order, with a minus sign before it for the reverse order"
)]
pub struct TrackOrderError;

impl FromStr for TrackOrder {
    type Err = TrackOrderError;

    fn from_str(text: &str) -> Result<Self, TrackOrderError> {
        let (is_descending, name) = match text.strip_prefix('-') {
            Some(name) => (true, name),
            None => (false, text),
        };
        let key = TrackOrderKey::ALL.into_iter().find(|key| key.as_str() == name).ok_or(TrackOrderError)?;
        Ok(Self { key, is_descending })
    }
}

/// A position in a sorted list, right after a row. It stays the same if the row changes, moves or is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPosition {
    /// The sort value of the row; ties are broken by its id.
    pub value: SortValue,
    /// The id of the row.
    pub id: Uuid,
}

impl ListPosition {
    /// A position in a list that is sorted only by id.
    pub const fn of_id(id: Uuid) -> Self {
        Self { value: SortValue::None, id }
    }
}

/// The sort value of a row; ties are broken by its id.
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// No value.
    None,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text, folded.
    Text(String),
}

/// The requested part of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum ListWindow {
    /// By the number of rows before it.
    Offset(LimitOffset),
    /// By its start position.
    After {
        /// The position; none for the beginning of the list.
        position: Option<ListPosition>,
        /// Maximum number of rows.
        limit: u64,
    },
}

/// One part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPart<T> {
    /// Its rows. A part may have fewer rows than requested and not be the last, because its bytes are limited
    /// (`PageBytes`). With a search, it may even have none.
    pub rows: Vec<T>,
    /// The position of the next part; none if this is the last, or was requested by offset.
    pub next: Option<ListPosition>,
    /// The number of rows of the whole list, if it is known without reading the whole list.
    pub count: Option<u64>,
}

impl<T> ListPart<T> {
    /// Builds a part from a query by offset, with the total number of rows.
    pub fn by_offset((count, rows): (u64, Vec<T>)) -> Self {
        Self { rows, next: None, count: Some(count) }
    }

    /// Converts each row.
    pub fn map<U>(self, each: impl FnMut(T) -> U) -> ListPart<U> {
        ListPart { rows: self.rows.into_iter().map(each).collect(), next: self.next, count: self.count }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_have_one_spelling() {
        for key in TrackOrderKey::ALL {
            for is_descending in [false, true] {
                let order = TrackOrder { key, is_descending };
                assert_eq!(order.to_string().parse(), Ok(order));
            }
        }
        assert_eq!(TrackOrder::default().to_string(), "-created");
        for bad in ["", "-", "Created", "--title", "+title", " title", "id"] {
            assert_eq!(bad.parse::<TrackOrder>(), Err(TrackOrderError), "{bad}");
        }
    }

    #[test]
    fn a_position_has_what_its_list_is_sorted_by() {
        let values =
            [SortValue::None, SortValue::Integer(1), SortValue::Real(1.0), SortValue::Text(String::new())];
        for key in TrackOrderKey::ALL {
            assert_eq!(values.iter().filter(|value| key.has(value)).count(), 1, "{key:?}");
        }
        assert!(TrackOrderKey::Created.has(&ListPosition::of_id(Uuid::nil()).value));
    }

    #[test]
    fn a_collection_alone_leaves_nothing_out_of_it() {
        assert!(!TrackFilter::default().narrows());
        let now = Timestamp::from_unix_millis(0).unwrap();
        let collection = Some(crate::RecordId::from_parts(now, [1; 10]));
        assert!(!TrackFilter { collection, ..TrackFilter::default() }.narrows());
        assert!(TrackFilter { statuses: Some(Vec::new()), ..TrackFilter::default() }.narrows());
        assert!(TrackFilter { created_since: Some(now), ..TrackFilter::default() }.narrows());
    }
}
