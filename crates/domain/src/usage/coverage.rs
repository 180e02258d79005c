//! The bytes of an object that a listener has taken, and the sound that a player has played.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Maximum number of separate ranges of bytes. Seeking in a player creates a few, never hundreds.
const MOST: usize = 32;

/// Maximum number of separate ranges of sound that was played.
const MOST_PLAYED: usize = 100;

/// A set of bytes of an object.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Coverage {
    /// Sorted; the ranges neither overlap nor touch.
    ranges: Vec<Range<u64>>,
}

impl Coverage {
    /// Adds a range and returns how many of its bytes are new. If there are too many ranges, the smallest gap is
    /// treated as covered: bytes may be missed, but are never counted twice.
    pub(super) fn add(&mut self, range: Range<u64>) -> u64 {
        let new = join(&mut self.ranges, range);
        if self.ranges.len() > MOST {
            self.close_smallest_gap();
        }
        new
    }

    fn close_smallest_gap(&mut self) {
        let gaps = self.ranges.windows(2).map(|pair| pair[1].start - pair[0].end);
        if let Some((at, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) {
            self.ranges[at].end = self.ranges[at + 1].end;
            self.ranges.remove(at + 1);
        }
    }
}

/// The milliseconds of a file or track that a player has played, in at most 100 ranges. As JSON, a list of `[start, end]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Played {
    /// Sorted; the ranges neither overlap nor touch.
    ranges: Vec<Range<u64>>,
}

impl Played {
    /// The ranges, in order.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Whether nothing was played.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many milliseconds were played, without repetitions.
    pub fn millis(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.end - range.start))
    }

    /// Adds a range. If there are too many, the shortest is left out: what was played may be missed, but is never made up.
    pub fn add(&mut self, range: Range<u64>) {
        join(&mut self.ranges, range);
        if self.ranges.len() > MOST_PLAYED {
            let lengths = self.ranges.iter().map(|range| range.end - range.start);
            if let Some((at, _)) = lengths.enumerate().min_by_key(|(_, length)| *length) {
                self.ranges.remove(at);
            }
        }
    }
}

impl FromIterator<Range<u64>> for Played {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut played = Self::default();
        ranges.into_iter().for_each(|range| played.add(range));
        played
    }
}

impl From<Vec<(u64, u64)>> for Played {
    fn from(ranges: Vec<(u64, u64)>) -> Self {
        ranges.into_iter().map(|(start, end)| start..end).collect()
    }
}

impl From<Played> for Vec<(u64, u64)> {
    fn from(played: Played) -> Self {
        played.ranges.into_iter().map(|range| (range.start, range.end)).collect()
    }
}

/// Adds a range to sorted ranges that neither overlap nor touch. Returns how many of its positions are new.
fn join(ranges: &mut Vec<Range<u64>>, range: Range<u64>) -> u64 {
    if range.start >= range.end {
        return 0;
    }
    let first = ranges.partition_point(|known| known.end < range.start);
    let last = ranges.partition_point(|known| known.start <= range.end);
    let touched = &ranges[first..last];
    let known: u64 = touched
        .iter()
        .map(|known| known.end.min(range.end).saturating_sub(known.start.max(range.start)))
        .sum();
    let joined = Range {
        start: touched.first().map_or(range.start, |known| known.start.min(range.start)),
        end: touched.last().map_or(range.end, |known| known.end.max(range.end)),
    };
    ranges.splice(first..last, [joined]);
    range.end - range.start - known
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "lists of ranges, of which some have one")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn bytes_count_once() {
        let mut coverage = Coverage::default();
        let new = [0..10, 5..15, 20..30, 0..40, 0..40, 7..7].map(|range| coverage.add(range));
        assert_eq!(new, [10, 5, 10, 15, 0, 0]);
        assert_eq!(coverage.ranges, [0..40]);
    }

    #[test]
    fn what_was_not_played_is_never_made_up() {
        let half_seconds = (0..150_u64).map(|part| part * 3000..part * 3000 + 500 + part);
        let played: Played = half_seconds.clone().collect();
        assert_eq!(played.ranges().len(), MOST_PLAYED);
        assert!(played.ranges().iter().all(|range| half_seconds.clone().any(|part| part == *range)));
        // A report that is repeated changes nothing.
        let mut again = played.clone();
        half_seconds.for_each(|part| again.add(part));
        assert_eq!((again.millis(), again), (played.millis(), played));
    }

    proptest! {
        #[test]
        fn new_bytes_are_those_that_were_not_taken(
            ranges in proptest::collection::vec((0..300_u64, 0..50_u64), 0..40)
        ) {
            let mut coverage = Coverage::default();
            let mut taken = [false; 400];
            let mut is_exact = true;
            for (start, length) in ranges {
                let before = taken.iter().filter(|taken| **taken).count() as u64;
                taken[start as usize..(start + length) as usize].fill(true);
                let after = taken.iter().filter(|taken| **taken).count() as u64;
                let new = coverage.add(start..start + length);
                prop_assert!(new <= after - before);
                is_exact &= coverage.ranges.len() < MOST;
                prop_assert!(!is_exact || new == after - before);
                prop_assert!(coverage.ranges.len() <= MOST);
                prop_assert!(coverage.ranges.windows(2).all(|pair| pair[0].end < pair[1].start));
            }
        }
    }
}
