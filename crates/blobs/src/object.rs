//! Objects on their way into a store and out of it.

use std::ops::Range;

use tonearm_domain::Timestamp;

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
