//! The delivered parts of a track, at a coarse resolution.

use std::ops::{BitAnd, BitOr, BitOrAssign, Range};

use serde::{Deserialize, Serialize};

/// A set of the 50 equal parts of a track or file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "u64", into = "u64")]
pub struct Segments(u64);

impl Segments {
    /// The number of parts.
    pub const COUNT: u32 = 50;

    const ALL: u64 = (1 << Self::COUNT) - 1;

    /// The parts that a range of bytes touches in a file of `size` bytes; none if the range is empty.
    pub fn of_bytes(range: &Range<u64>, size: u64) -> Self {
        if range.start >= range.end || range.start >= size {
            return Self::default();
        }
        let at = |byte: u64| (u128::from(byte) * u128::from(Self::COUNT) / u128::from(size)) as u32;
        Self::between(at(range.start), at(range.end.min(size) - 1))
    }

    /// The parts from `first` to `last`, inclusive.
    fn between(first: u32, last: u32) -> Self {
        let last = last.min(Self::COUNT - 1);
        let first = first.min(last);
        Self((Self::ALL >> (Self::COUNT - 1 - last)) & (Self::ALL << first))
    }

    /// Converts parts of an excerpt to parts of the whole. The excerpt starts and ends at these shares of the whole (0
    /// to 1).
    #[must_use]
    pub fn of_excerpt(self, start: f64, end: f64) -> Self {
        let (start, end) = (start.clamp(0.0, 1.0), end.clamp(0.0, 1.0));
        let count = f64::from(Self::COUNT);
        let place = |share: f64| (start + (end - start) * share) * count;
        self.iter().fold(Self::default(), |sum, part| {
            let first = place(f64::from(part) / count).floor();
            let last = place(f64::from(part + 1) / count).ceil() - 1.0;
            sum | Self::between(first.max(0.0) as u32, last.max(first).max(0.0) as u32)
        })
    }

    /// The number of parts in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The numbers of the parts, from 0.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::COUNT).filter(move |part| self.0 >> part & 1 == 1)
    }

    /// The set as a bit mask; the first part is the lowest bit.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl From<u64> for Segments {
    /// Bits beyond the last part are ignored.
    fn from(bits: u64) -> Self {
        Self(bits & Self::ALL)
    }
}

impl From<Segments> for u64 {
    fn from(segments: Segments) -> u64 {
        segments.0
    }
}

impl BitOr for Segments {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitAnd for Segments {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOrAssign for Segments {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_touch_parts() {
        let parts = |range: Range<u64>, size| Segments::of_bytes(&range, size).iter().collect::<Vec<_>>();
        assert_eq!(parts(0..1000, 1000).len(), 50);
        assert_eq!(parts(0..1, 1000), [0]);
        assert_eq!(parts(19..21, 1000), [0, 1]);
        assert_eq!(parts(999..1000, 1000), [49]);
        assert_eq!(parts(5..5, 1000), [0; 0]);
        assert_eq!(parts(1000..1001, 1000), [0; 0]);
        assert_eq!(parts(0..1, 0), [0; 0]);
        assert_eq!(parts(0..u64::MAX, u64::MAX).len(), 50);
    }

    #[test]
    fn an_excerpt_is_a_part_of_the_whole() {
        let all = Segments::of_bytes(&(0..10), 10);
        assert_eq!(all.of_excerpt(0.0, 1.0), all);
        assert_eq!(all.of_excerpt(0.5, 0.6).iter().collect::<Vec<_>>(), [25, 26, 27, 28, 29]);
        assert_eq!(all.of_excerpt(0.999, 1.0).iter().collect::<Vec<_>>(), [49]);
        assert_eq!(Segments::default().of_excerpt(0.0, 1.0), Segments::default());
    }

    proptest! {
        #[test]
        fn parts_are_those_that_bytes_are_in(size in 1..5000_u64, start in 0..5000_u64, length in 0..5000_u64) {
            let found = Segments::of_bytes(&(start..start + length), size);
            let mut expected = Segments::default();
            for byte in start..(start + length).min(size) {
                expected |= Segments::from(1 << (byte * 50 / size));
            }
            prop_assert!(expected.bits() & !found.bits() == 0);
            prop_assert!(size < 50 || expected == found);
        }
    }
}
