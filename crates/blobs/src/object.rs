//! The terms and the result of a put, and the metadata of objects.

use std::ops::Range;

use sha2::{Digest, Sha256};
use tonearm_domain::Timestamp;

/// What a put must satisfy. The default has no conditions.
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
    /// What happens to an object that may have been stored although the put failed.
    pub on_failure: OnFailure,
}

/// What happens to an object that may have been stored although its put failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnFailure {
    /// It is removed. Another put of the same name by this process waits for that.
    #[default]
    Remove,
    /// It stays if it was stored. For names that are only ever used for the same bytes and are put again after a
    /// failure, possibly by other nodes: removing the object could remove what another put stored.
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

/// The result of a put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// Size in bytes.
    pub size: u64,
    /// Their SHA-256.
    pub sha256: [u8; 32],
}

/// What a store knows of an object without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Size of the whole object in bytes.
    pub size: u64,
    /// When it was put.
    pub modified: Timestamp,
    /// A hash of what the store changes each time the object is put: see [`version_of`].
    pub version: u64,
}

/// The version of an object: a part of the SHA-256 of its ETag in a bucket, of the number and the times of its file in a
/// folder. Two objects of the same size may be put under a name within a second.
pub(crate) fn version_of(told: impl AsRef<[u8]>) -> u64 {
    let hash: [u8; 32] = Sha256::digest(told).into();
    let [a, b, c, d, e, f, g, h, ..] = hash;
    u64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Clamps `range` to an object of `size` bytes; the whole object if there is no range. A range that starts after the
/// end becomes an empty one at the end.
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
