//! What is said about objects when they go in and come out.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use tonearm_domain::{ObjectKey, Timestamp};

use crate::cache::CachedStore;
use crate::chunks::Chunks;
use crate::folder::{FileChunks, OpenFile};
use crate::store::Store as _;

/// What a put must satisfy. The default asks for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PutTerms {
    /// The largest size, in bytes.
    pub max_bytes: u64,
    /// The SHA-256 that the bytes must have.
    pub expected_sha256: Option<[u8; 32]>,
    /// The MD5 that the bytes must have.
    pub expected_md5: Option<[u8; 16]>,
    /// The size that the bytes must have.
    pub expected_size: Option<u64>,
    /// What becomes of an object that may or may not have been stored when the put fails.
    pub on_failure: OnFailure,
}

/// What becomes of an object whose put failed, when the store may have it all the same.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is removed. Another put of the same name by this process waits for that.
    #[default]
    Remove,
    /// It stays if it is there. For names that only ever stand for the same bytes and are put again after a failure,
    /// also by other nodes: removing it could remove what the other put stored.
    Leave,
}

impl Default for PutTerms {
    fn default() -> Self {
        Self {
            max_bytes: u64::MAX,
            expected_sha256: None,
            expected_md5: None,
            expected_size: None,
            on_failure: OnFailure::Remove,
        }
    }
}

/// What was put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Bytes.
    pub size: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// What a store knows of an object without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Bytes of the whole object.
    pub size: u64,
    /// When it was put.
    pub modified: Timestamp,
}

/// An object, or a part of it, as it is read.
pub struct ObjectBody {
    /// Of the whole object.
    pub meta: ObjectMeta,
    /// The bytes that the stream gives: the range asked for, cut to what there is.
    pub range: Range<u64>,
    /// The bytes, in chunks of any size.
    pub stream: Chunks,
}

impl fmt::Debug for ObjectBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectBody")
            .field("meta", &self.meta)
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

/// An object that can be read without asking the store whether it is there.
pub struct OpenObject(ObjectLocation);

enum ObjectLocation {
    File(Arc<OpenFile>),
    Cache { cache: CachedStore, key: ObjectKey, meta: ObjectMeta },
}

impl OpenObject {
    pub(crate) fn of_file(file: Arc<OpenFile>) -> Self {
        Self(ObjectLocation::File(file))
    }

    pub(crate) fn cached(cache: CachedStore, key: ObjectKey, meta: ObjectMeta) -> Self {
        Self(ObjectLocation::Cache { cache, key, meta })
    }

    /// What is known of it.
    pub fn meta(&self) -> ObjectMeta {
        match &self.0 {
            ObjectLocation::File(file) => file.meta(),
            ObjectLocation::Cache { meta, .. } => *meta,
        }
    }

    /// What finds it again without looking for it by name.
    pub fn handle(&self) -> ObjectHandle {
        ObjectHandle(match &self.0 {
            ObjectLocation::File(file) => Handle::File(Arc::downgrade(file)),
            ObjectLocation::Cache { cache, key, .. } => {
                Handle::Cache { cache: cache.clone(), key: key.clone() }
            }
        })
    }

    /// The bytes of a range, cut to what there is; `None` where the store has to be asked for them.
    pub fn read(self, range: Range<u64>) -> Option<Chunks> {
        let range = clamp(Some(range), self.meta().size);
        match self.0 {
            ObjectLocation::File(file) => Some(Chunks::of_file(FileChunks::new(file, range))),
            ObjectLocation::Cache { cache, key, meta } => cache.read(&key, meta, range),
        }
    }
}

/// Where an object was that could be read at once. It keeps nothing open, and nothing in memory.
#[derive(Clone)]
pub struct ObjectHandle(Handle);

#[derive(Clone)]
enum Handle {
    File(Weak<OpenFile>),
    Cache { cache: CachedStore, key: ObjectKey },
}

impl ObjectHandle {
    /// The object, where it can still be read at once.
    pub fn open(&self) -> Option<OpenObject> {
        match &self.0 {
            Handle::File(file) => file.upgrade().filter(|file| file.is_current()).map(OpenObject::of_file),
            Handle::Cache { cache, key } => cache.at_hand(key),
        }
    }
}

impl fmt::Debug for ObjectHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ObjectHandle")
    }
}

/// The part of `range` that an object of `size` bytes has; all of it when no range is asked for. A range that
/// starts behind the end is empty, at the end.
pub(crate) fn clamp(range: Option<Range<u64>>, size: u64) -> Range<u64> {
    let Some(range) = range else { return 0..size };
    let start = range.start.min(size);
    start..range.end.clamp(start, size)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::clamp;

    #[test]
    #[expect(clippy::reversed_empty_ranges, reason = "that is what is asked for")]
    fn ranges_are_cut_to_what_there_is() {
        assert_eq!(clamp(None, 5), 0..5);
        assert_eq!(clamp(Some(1..3), 5), 1..3);
        assert_eq!(clamp(Some(3..9), 5), 3..5);
        assert_eq!(clamp(Some(7..9), 5), 5..5);
        assert_eq!(clamp(Some(3..1), 5), 3..3);
        assert_eq!(clamp(Some(0..1), 0), 0..0);
    }

    proptest! {
        #[test]
        fn a_clamped_range_is_inside(start: u64, end: u64, size: u64) {
            let range = clamp(Some(start..end), size);
            prop_assert!(range.start <= range.end && range.end <= size);
        }
    }
}
