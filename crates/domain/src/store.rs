//! Checks that a database and an object store belong together, and limits what a sweep may remove without confirmation.

use std::fmt;

use crate::object_key::{ContentType, ObjectFile, ObjectKey};
use crate::short_id::ShortId;
use crate::timestamp::Timestamp;
use crate::variant_index::VariantIndex;

/// The identity that a database and its object store share. It is created at their first start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StoreId(ShortId);

impl StoreId {
    /// The folder of identities, below [`ObjectKey::RESERVED`].
    pub const FOLDER: &str = "identity0000";
    const LABEL: &str = "store";

    /// From a fresh short id.
    pub const fn new(id: ShortId) -> Self {
        Self(id)
    }

    /// The identity as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The object that carries the identity. The identity is in its name; its content is for people.
    pub fn object(self) -> ObjectKey {
        let file = ObjectFile {
            label: VariantIndex::from_static(Self::LABEL),
            version: self.0,
            content_type: ContentType::Json,
        };
        ObjectKey { organization_id: ObjectKey::RESERVED, folder: Self::folder(), file }
    }

    /// The identity that an object carries; `None` for every other object.
    pub fn of_object(key: &ObjectKey) -> Option<Self> {
        let id = Self(key.file.version);
        (id.object() == *key).then_some(id)
    }

    /// [`Self::FOLDER`] as a short id.
    pub fn folder() -> ShortId {
        Self::FOLDER.parse().expect("twelve letters and digits are a short id")
    }
}

impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a database and an object store do not belong together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreMismatch {
    /// The store lost its identity, or is a different, empty store.
    #[error(
        "the database belongs to the object store {expected}, but the store has no identity: it is empty, its disk is \
         not mounted, or storage_url is wrong. Mount the disk or correct storage_url; if the store was deliberately \
         restored, run `tonearm store adopt`"
    )]
    NoIdentity {
        /// The identity in the database.
        expected: StoreId,
    },
    /// The store belongs to another database, or to several.
    #[error(
        "the database belongs to the object store {expected}, but storage_url points to {}. Correct \
         database_url or storage_url; to use the two together from now on, run `tonearm store adopt`",
        list(found)
    )]
    OtherStore {
        /// The identity in the database.
        expected: StoreId,
        /// The identities in the store.
        found: Vec<StoreId>,
    },
    /// The store belongs to a database, and this one is new.
    #[error(
        "the object store {} belongs to another database: this database is new or was replaced. Correct database_url or \
         storage_url, or restore the database; to use the two together from now on, run `tonearm store adopt`",
        list(found)
    )]
    OtherDatabase {
        /// The identities in the store.
        found: Vec<StoreId>,
    },
    /// Neither has an identity yet, and their contents do not match.
    #[error(
        "the database and the object store do not seem to belong together: {0}. Correct database_url or storage_url; to \
         use them together, run `tonearm store adopt`"
    )]
    Unrelated(Evidence),
}

fn list(ids: &[StoreId]) -> String {
    ids.iter().map(StoreId::to_string).collect::<Vec<_>>().join(" and ")
}

/// The result of comparing samples of a database with a store, in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evidence {
    /// Sampled objects that the database names.
    pub named: usize,
    /// The number of these that are in the store.
    pub found: usize,
    /// Sampled objects in the store.
    pub listed: usize,
    /// The number of these that the database names.
    pub known: usize,
}

impl Evidence {
    /// Whether a database and a store without identities may be linked without confirmation: both are empty, or each
    /// contains at least half of the samples of the other. Object names are random, so the database of another
    /// installation contains none of them.
    pub fn is_sound(self) -> bool {
        let fits = |part: usize, whole: usize| 2 * part >= whole;
        match self {
            Self { named: 0, listed: 0, .. } => true,
            // Only `listed` is checked for 0. The samples of the database are sources of tracks; without any, the store
            // may still match by covers alone.
            Self { listed: 0, .. } => false,
            Self { named, found, listed, known } => fits(known, listed) && fits(found, named),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { named, found, listed, known } = self;
        write!(
            f,
            "{found} of {named} objects that the database lists are in the store, and the database knows {known} of \
             {listed} objects in the store"
        )
    }
}

/// Rules of the sweep, which removes objects that no row names.
#[derive(Debug)]
pub struct SweepRules;

impl SweepRules {
    /// The minimum age of removed objects: younger ones may belong to an upload whose row is about to be committed.
    /// Also how long an object has to stay unknown, from the sweep that first found it to the one that removes it.
    pub const GRACE_SECONDS: i64 = 24 * 3600;
    /// A sweep removes up to this many objects without confirmation, even if there are few objects in total.
    pub const FREELY: u64 = 100;
    /// Maximum number of unknown objects that are recorded. More of them indicate an error.
    pub const MOST_NOTED: u64 = 100_000;

    /// Objects that were written, or found to be unknown, after this moment are not removed.
    pub fn spared_after(now: Timestamp) -> Timestamp {
        now.plus_seconds(-Self::GRACE_SECONDS)
    }

    /// Whether removing `removed` of `all` objects needs a confirmation: more than 1 %, and more than 100.
    pub const fn needs_confirmation(removed: u64, all: u64) -> bool {
        removed > Self::FREELY && removed.saturating_mul(100) > all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(n: u8) -> StoreId {
        StoreId::new(ShortId::from_random([n; 8]))
    }

    #[test]
    fn an_identity_is_in_the_name_of_its_object() {
        let key = id(1).object();
        assert_eq!(StoreId::of_object(&key), Some(id(1)));
        assert_eq!(key.to_string().parse(), Ok(key.clone()));
        let other = ObjectKey { folder: ShortId::from_random([0; 8]), ..key };
        assert_eq!(StoreId::of_object(&other), None);
    }

    #[test]
    fn what_fits_is_told_from_what_does_not() {
        let sound = |named, found, listed, known| Evidence { named, found, listed, known }.is_sound();
        assert!(sound(0, 0, 0, 0), "both are new");
        assert!(sound(20, 20, 1000, 1000), "an upgrade");
        assert!(sound(20, 18, 1000, 700), "an upgrade with leftovers");
        assert!(sound(0, 0, 8, 8), "covers, and no track yet");
        assert!(!sound(0, 0, 27, 0), "an empty database with a used store");
        assert!(!sound(20, 0, 0, 0), "a used database with an empty store");
        assert!(!sound(20, 0, 1000, 0), "two strangers");
        assert!(!sound(20, 20, 1000, 10), "the store of a far larger installation");
        assert!(!sound(20, 2, 1000, 1000), "most of the store is missing");
    }

    #[test]
    fn a_sweep_asks_before_it_removes_much() {
        for (removed, all, asks) in
            [(27, 27, false), (100, 100, false), (101, 101, true), (101, 10_099, true), (101, 10_100, false)]
        {
            assert_eq!(SweepRules::needs_confirmation(removed, all), asks, "{removed} of {all}");
        }
    }
}
