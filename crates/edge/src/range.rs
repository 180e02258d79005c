//! The `Range` header (RFC 9110 section 14): which bytes of an object to send.
//!
//! A header that is malformed, of another unit, or requests more than [`MOST_RANGES`] ranges is ignored, as the
//! standard allows: the whole object is a correct response, and never has more bytes than the object. Ranges that
//! overlap or touch are merged, so that no byte is sent twice.

use std::ops::Range;

/// Ranges that one request may ask for.
pub(crate) const MOST_RANGES: usize = 16;

/// One range as requested, before the size is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spec {
    /// From this byte to the end.
    From(u64),
    /// From the first byte up to and including the last, which is not before the first.
    Between(u64, u64),
    /// This many bytes at the end.
    Suffix(u64),
}

impl Spec {
    fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-')?;
        match (first, last) {
            ("", suffix) => Some(Self::Suffix(position(suffix)?)),
            (first, "") => Some(Self::From(position(first)?)),
            (first, last) => {
                let (first, last) = (position(first)?, position(last)?);
                (first <= last).then_some(Self::Between(first, last))
            }
        }
    }

    /// The range within an object of `size` bytes; `None` if it is empty.
    fn within(self, size: u64) -> Option<Range<u64>> {
        let range = match self {
            Self::From(first) => first..size,
            // Positions are at most BEYOND, so adding one does not overflow.
            Self::Between(first, last) => first..size.min(last + 1),
            Self::Suffix(length) => size.saturating_sub(length)..size,
        };
        (range.start < range.end).then_some(range)
    }
}

/// More bytes than an object can have: file systems and S3 use signed 64-bit numbers, and may misread larger ones.
const BEYOND: u64 = i64::MAX.unsigned_abs();

/// Parses digits as a number, limited to [`BEYOND`].
fn position(digits: &str) -> Option<u64> {
    let all_digits = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| digits.parse().map_or(BEYOND, |n: u64| n.min(BEYOND)))
}

/// The ranges of a `Range` header, between 1 and [`MOST_RANGES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RangeSet(Vec<Spec>);

/// The bytes of an object to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Selection {
    /// All of them.
    Whole,
    /// One part.
    One(Range<u64>),
    /// Several parts that neither overlap nor touch.
    Many(Vec<Range<u64>>),
    /// No requested range contains a byte of the object.
    Unsatisfiable,
}

impl Selection {
    /// Whether the selection includes the first byte, for playback: players request the first two bytes to see whether
    /// ranges are supported.
    pub(crate) fn begins_at_start(&self) -> bool {
        match self {
            Self::Whole => true,
            Self::One(range) => range.start == 0 && range.end > 2,
            Self::Many(ranges) => ranges.iter().any(|range| range.start == 0),
            Self::Unsatisfiable => false,
        }
    }
}

impl RangeSet {
    /// Parses the value of the header; `None` if it must be ignored.
    pub(crate) fn parse(value: &str) -> Option<Self> {
        let (unit, list) = value.split_once('=')?;
        if !unit.eq_ignore_ascii_case("bytes") {
            return None;
        }
        let mut specs = Vec::new();
        // Empty elements are allowed in every HTTP list.
        for element in list.split(',').map(|e| e.trim_matches([' ', '\t'])).filter(|e| !e.is_empty()) {
            if specs.len() == MOST_RANGES {
                return None;
            }
            specs.push(Spec::parse(element)?);
        }
        (!specs.is_empty()).then_some(Self(specs))
    }

    /// The requested range, if there is only one and its start does not depend on the size. It may end after the end of
    /// the object.
    pub(crate) fn known_start(&self) -> Option<Range<u64>> {
        let range = match self.0[..] {
            [Spec::From(first)] => first..BEYOND,
            [Spec::Between(first, last)] => first..BEYOND.min(last + 1),
            _ => return None,
        };
        (range.start < range.end).then_some(range)
    }

    /// The bytes of an object of `size` bytes, in the requested order, except for ranges that are merged.
    pub(crate) fn select(&self, size: u64) -> Selection {
        let mut apart: Vec<Range<u64>> = Vec::with_capacity(self.0.len());
        for mut range in self.0.iter().filter_map(|spec| spec.within(size)) {
            apart.retain(|other| {
                let keep = other.end < range.start || range.end < other.start;
                if !keep {
                    range = range.start.min(other.start)..range.end.max(other.end);
                }
                keep
            });
            apart.push(range);
        }
        match apart.len() {
            0 => Selection::Unsatisfiable,
            1 => Selection::One(apart.remove(0)),
            _ => Selection::Many(apart),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn select(value: &str, size: u64) -> Selection {
        RangeSet::parse(value).map_or(Selection::Whole, |set| set.select(size))
    }

    #[test]
    fn ranges_of_every_form() {
        use Selection::*;
        for (value, expected) in [
            ("bytes=0-0", One(0..1)),
            ("bytes=0-", One(0..100)),
            ("bytes=99-", One(99..100)),
            ("bytes=10-19", One(10..20)),
            ("bytes=90-1000", One(90..100)),
            ("bytes=-1", One(99..100)),
            ("bytes=-1000", One(0..100)),
            ("BYTES=5-6", One(5..7)),
            ("bytes= 5-6 ,", One(5..7)),
            ("bytes=0-1,5-6", Many(vec![0..2, 5..7])),
            ("bytes=5-6, 0-1", Many(vec![5..7, 0..2])),
            ("bytes=0-1,,\t,-2", Many(vec![0..2, 98..100])),
            ("bytes=0-1,200-", One(0..2)),
            ("bytes=0-4,5-9", One(0..10)),
            ("bytes=0-9,20-29,5-24", One(0..30)),
            ("bytes=0-,0-,0-", One(0..100)),
            ("bytes=0-99999999999999999999999", One(0..100)),
            ("bytes=18446744073709551615-18446744073709551615", Unsatisfiable),
            ("bytes=99999999999999999999999-", Unsatisfiable),
            ("bytes=100-", Unsatisfiable),
            ("bytes=100-200,300-", Unsatisfiable),
            ("bytes=-0", Unsatisfiable),
        ] {
            assert_eq!(select(value, 100), expected, "{value}");
        }
        assert_eq!(select("bytes=0-", 0), Unsatisfiable);
        assert_eq!(select("bytes=-5", 0), Unsatisfiable);
    }

    #[test]
    fn what_is_no_range_is_ignored() {
        for value in [
            "",
            "bytes",
            "bytes=",
            "bytes=,",
            "bytes=-",
            "bytes=--1",
            "bytes=1",
            "bytes=1-0",
            "bytes=a-b",
            "bytes=0x0-1",
            "bytes=+1-2",
            "bytes=1 -2",
            "bytes=1-2-3",
            "bytes =0-1",
            " bytes=0-1",
            "items=0-1",
            "bytes=0-1;2-3",
            "bytes=0-1,x",
            "bytes=0-1 2-3",
            "bytes:0-1",
            "bytes=٣-٤",
            "bytes=0-1,bytes=2-3",
        ] {
            assert_eq!(RangeSet::parse(value), None, "{value}");
        }
    }

    #[test]
    fn too_many_ranges_are_ignored() {
        let ranges = |n: usize| {
            let list: Vec<_> = (0..n).map(|i| format!("{}-{}", i * 3, i * 3)).collect();
            format!("bytes={}", list.join(","))
        };
        assert!(
            matches!(select(&ranges(MOST_RANGES), 1000), Selection::Many(parts) if parts.len() == MOST_RANGES)
        );
        assert_eq!(select(&ranges(MOST_RANGES + 1), 1000), Selection::Whole);
        assert_eq!(select(&ranges(100_000), 1000), Selection::Whole);
    }

    /// The requested bytes, one by one, straight from the standard's wording.
    fn reference(ranges: &[(Option<u64>, Option<u64>)], size: u64) -> Vec<u64> {
        (0..size)
            .filter(|byte| {
                ranges.iter().any(|range| match *range {
                    (Some(first), Some(last)) => first <= *byte && *byte <= last,
                    (Some(first), None) => first <= *byte,
                    (None, Some(suffix)) => size - byte <= suffix,
                    (None, None) => false,
                })
            })
            .collect()
    }

    fn any_range() -> impl Strategy<Value = (Option<u64>, Option<u64>)> {
        prop_oneof![
            (0..70u64, 0..40u64).prop_map(|(first, more)| (Some(first), Some(first + more))),
            (0..70u64).prop_map(|first| (Some(first), None)),
            (0..70u64).prop_map(|suffix| (None, Some(suffix))),
        ]
    }

    fn header(ranges: &[(Option<u64>, Option<u64>)]) -> String {
        let text = |n: Option<u64>| n.map_or(String::new(), |n| n.to_string());
        let list: Vec<_> = ranges.iter().map(|(a, b)| format!("{}-{}", text(*a), text(*b))).collect();
        format!("bytes={}", list.join(", "))
    }

    proptest! {
        #[test]
        fn selects_what_the_reference_does(
            ranges in prop::collection::vec(any_range(), 1..=MOST_RANGES),
            size in 0..64u64,
        ) {
            let mut selected: Vec<u64> = match select(&header(&ranges), size) {
                Selection::Whole => return Err(TestCaseError::fail("ignored")),
                Selection::One(range) => range.collect(),
                Selection::Many(parts) => {
                    prop_assert!(parts.len() > 1);
                    parts.into_iter().flatten().collect()
                }
                Selection::Unsatisfiable => Vec::new(),
            };
            // A byte that is sent twice would appear twice here.
            selected.sort_unstable();
            prop_assert_eq!(selected, reference(&ranges, size));
        }

        #[test]
        fn a_known_start_is_what_is_selected(range in any_range(), size in 1..64u64) {
            let set = RangeSet::parse(&header(&[range])).unwrap();
            if let (Some(known), Selection::One(selected)) = (set.known_start(), set.select(size)) {
                prop_assert_eq!(known.start..known.end.min(size), selected);
            }
        }

        #[test]
        fn any_text_is_parsed_without_panic(value in "(bytes=)?[-0-9, ]{0,60}|\\PC{0,40}", size: u64) {
            match select(&value, size) {
                Selection::One(range) => prop_assert!(range.start < range.end && range.end <= size),
                Selection::Many(parts) => {
                    prop_assert!(parts.len() <= MOST_RANGES);
                    prop_assert!(parts.iter().all(|range| range.start < range.end && range.end <= size));
                    prop_assert!(parts.iter().map(|range| u128::from(range.end - range.start)).sum::<u128>() <= size.into());
                }
                Selection::Whole | Selection::Unsatisfiable => {}
            }
        }
    }
}
