//! Looking for tracks as programs do: which ones, in which order, and from where on.

use std::fmt;
use std::str::FromStr;

use uuid::Uuid;

use crate::limits::LimitOffset;
use crate::listing::SearchWords;
use crate::timestamp::Timestamp;
use crate::track_status::TrackStatus;
use crate::{CollectionId, CreatorId, TrackId};

/// Which tracks; what is not set does not narrow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrackFilter {
    /// Only this one.
    pub track: Option<TrackId>,
    /// Only those of this collection.
    pub collection: Option<CollectionId>,
    /// Only those that come from this creator.
    pub creator: Option<CreatorId>,
    /// Only those with exactly this external id.
    pub organization_index: Option<String>,
    /// Only those whose source has this SHA-256.
    pub source_sha256: Option<[u8; 32]>,
    /// Only those with one of these statuses; with none of them, there is no such track.
    pub statuses: Option<Vec<TrackStatus>>,
    /// Only those that were made at this moment or later.
    pub created_since: Option<Timestamp>,
    /// Only those that hold all these words.
    pub words: Option<SearchWords>,
}

impl TrackFilter {
    /// Whether it leaves out anything of a collection, or of the organization where it names no collection.
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

/// What tracks are sorted by. Ids decide where two are alike, so that every order is total.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrackOrderKey {
    /// The moment they were made.
    Created,
    /// The title that players show.
    Title,
    /// How long they are.
    Duration,
    /// Those that need somebody first, then those in the making, then those that are ready.
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

    /// Whether a row of a list that is sorted by this can have such a value.
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

/// An order of tracks; as text, a key with a minus before it for the reverse, such as `-created`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackOrder {
    /// What decides.
    pub key: TrackOrderKey,
    /// Whether the greatest comes first.
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

/// Text that is no order of tracks.
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

/// A place in a sorted list, right after a row. It stays where it is if the row changes, moves or is deleted.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPosition {
    /// What the row was sorted by, before its id.
    pub value: SortValue,
    /// The id of the row.
    pub id: Uuid,
}

impl ListPosition {
    /// In a list that is sorted by nothing but ids.
    pub const fn of_id(id: Uuid) -> Self {
        Self { value: SortValue::None, id }
    }
}

/// What a row is sorted by, before its id.
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// Nothing.
    None,
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// Text, folded.
    Text(String),
}

/// Which part of a list.
#[derive(Debug, Clone, PartialEq)]
pub enum ListWindow {
    /// By how many rows come before it.
    Offset(LimitOffset),
    /// By where it begins.
    After {
        /// The place; none for the beginning of the list.
        position: Option<ListPosition>,
        /// Most rows.
        limit: u64,
    },
}

/// One part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct ListPart<T> {
    /// Its rows: a part of a list that is searched may have fewer than were asked for, even none, and not be the last.
    pub rows: Vec<T>,
    /// Where the next one begins; none where this is the last, or was asked for by offset.
    pub next: Option<ListPosition>,
    /// How many rows the whole list has, where that is known without reading all of it.
    pub count: Option<u64>,
}

impl<T> ListPart<T> {
    /// As found by an offset, with the number of all rows.
    pub fn by_offset((count, rows): (u64, Vec<T>)) -> Self {
        Self { rows, next: None, count: Some(count) }
    }

    /// The same part with other rows.
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
