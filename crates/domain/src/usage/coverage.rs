//! The parts of an object that a listener has taken or played.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Maximum number of separate ranges. Seeking in a player creates a few, never hundreds.
const MOST: usize = 32;

/// A set of positions in an object: of bytes, or of milliseconds of sound. As JSON, a list of `[start, end]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct Coverage {
    /// Sorted; the ranges neither overlap nor touch.
    ranges: Vec<Range<u64>>,
}

impl From<Vec<(u64, u64)>> for Coverage {
    fn from(ranges: Vec<(u64, u64)>) -> Self {
        ranges.into_iter().map(|(start, end)| start..end).collect()
    }
}

impl From<Coverage> for Vec<(u64, u64)> {
    fn from(coverage: Coverage) -> Self {
        coverage.ranges.into_iter().map(|range| (range.start, range.end)).collect()
    }
}

impl FromIterator<Range<u64>> for Coverage {
    fn from_iter<I: IntoIterator<Item = Range<u64>>>(ranges: I) -> Self {
        let mut coverage = Self::default();
        for range in ranges {
            coverage.add(range);
        }
        coverage
    }
}

impl Coverage {
    /// The ranges, in order.
    pub fn ranges(&self) -> &[Range<u64>] {
        &self.ranges
    }

    /// Whether it covers nothing.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many positions it covers.
    pub fn total(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.end - range.start))
    }

    /// Adds a range and returns how many of its positions are new. If there are too many ranges, the smallest gap is
    /// treated as covered: positions may be missed, but are never counted twice.
    pub fn add(&mut self, range: Range<u64>) -> u64 {
        if range.start >= range.end {
            return 0;
        }
        let first = self.ranges.partition_point(|known| known.end < range.start);
        let last = self.ranges.partition_point(|known| known.start <= range.end);
        let touched = &self.ranges[first..last];
        let known: u64 = touched
            .iter()
            .map(|known| known.end.min(range.end).saturating_sub(known.start.max(range.start)))
            .sum();
        let joined = Range {
            start: touched.first().map_or(range.start, |known| known.start.min(range.start)),
            end: touched.last().map_or(range.end, |known| known.end.max(range.end)),
        };
        self.ranges.splice(first..last, [joined]);
        if self.ranges.len() > MOST {
            self.close_smallest_gap();
        }
        range.end - range.start - known
    }

    fn close_smallest_gap(&mut self) {
        let gaps = self.ranges.windows(2).map(|pair| pair[1].start - pair[0].end);
        if let Some((at, _)) = gaps.enumerate().min_by_key(|(_, gap)| *gap) {
            self.ranges[at].end = self.ranges[at + 1].end;
            self.ranges.remove(at + 1);
        }
    }
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
