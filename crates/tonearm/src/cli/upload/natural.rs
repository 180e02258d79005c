//! Natural sort order: `2` comes before `10`.

use std::cmp::Ordering;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Compares paths folder by folder, numbers by their value and letters without case. No two different paths are equal.
pub(super) fn natural_order(a: &Path, b: &Path) -> Ordering {
    let (mut left, mut right) = (a.components(), b.components());
    loop {
        let ordering = match (left.next(), right.next()) {
            (None, None) => return a.as_os_str().cmp(b.as_os_str()),
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(left), Some(right)) => compare(left.as_os_str().as_bytes(), right.as_os_str().as_bytes()),
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

fn compare(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let ordering = match (a.first(), b.first()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(x), Some(y)) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let (left, right) = (number(&mut a), number(&mut b));
                left.len().cmp(&right.len()).then_with(|| left.cmp(right))
            }
            (Some(x), Some(y)) => {
                let ordering = x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase());
                (a, b) = (&a[1..], &b[1..]);
                ordering
            }
        };
        if ordering.is_ne() {
            return ordering;
        }
    }
}

/// Removes the digits at the beginning of `text`, and returns them without leading zeros.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    *text = rest;
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    &digits[zeros..]
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn numbers_count() {
        let expected = [
            "",
            "1 intro.mp3",
            "01 intro.mp3",
            "2 two.mp3",
            "10 ten b.mp3",
            "10 ten.mp3",
            "99999999999999999999999 a.mp3",
            "100000000000000000000000 a.mp3",
            "A/cd1/2.mp3",
            "a/cd1/10.mp3",
            "a/cd2/1.mp3",
            "a/cd10/1.mp3",
            "a b/1.mp3",
            "ä.mp3",
        ];
        let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
        let mut sorted = expected.clone();
        sorted.reverse();
        sorted.sort_by(|a, b| natural_order(a, b));
        assert_eq!(sorted[4..], expected[4..]);
        for a in &expected {
            for b in &expected {
                assert_eq!(natural_order(a, b), natural_order(b, a).reverse());
                assert_eq!(natural_order(a, b).is_eq(), a == b);
            }
        }
    }
}
