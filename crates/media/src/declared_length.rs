//! How much sound a file declares, to detect files that were cut short.

use std::fs::File;
use std::io;

use crate::entry::read_at;

/// How much sound a file declares.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum DeclaredLength {
    /// Nothing is declared, or only estimated from the bit rate.
    #[default]
    Unknown,
    /// The number of seconds, from an index or a count.
    Seconds(f64),
    /// More than there is: the file ends before its declared end.
    Broken,
}

/// Differences up to this many seconds, or up to this share, are tolerated: codecs add silence at both ends that
/// decoders remove, and container clocks are coarse.
const TOLERANCE: f64 = 0.25;
const TOLERATED_SHARE: f64 = 0.005;
/// Writers that do not know the size yet write sizes from this one on.
const UNKNOWN_SIZE: u32 = 0x7FF0_0000;
/// Some writers also count the eight bytes of the header, or more.
const SLOPPY: u64 = 64;
/// An Ogg page has at most 65,307 bytes.
const LONGEST_PAGE: u64 = 65_307;

impl DeclaredLength {
    /// Whether the sound is shorter than declared if it lasts this many seconds.
    pub(crate) fn is_broken_by(self, seconds: f64) -> bool {
        match self {
            Self::Unknown => false,
            Self::Seconds(promised) => promised - seconds > TOLERANCE.max(promised * TOLERATED_SHARE),
            Self::Broken => true,
        }
    }
}

/// Whether a file of `size` bytes ends before its declared end, or in the middle of an Ogg page.
pub(crate) fn is_cut(file: &mut File, size: u64) -> io::Result<bool> {
    let head = read_at(file, 0, 20)?;
    if head.starts_with(b"OggS") {
        let end = read_at(file, size.saturating_sub(LONGEST_PAGE), LONGEST_PAGE as usize)?;
        return Ok(ends_inside_a_page(&end));
    }
    Ok(announced_size(&head).is_some_and(|announced| announced > size.saturating_add(SLOPPY)))
}

/// The size in bytes that a RIFF, DSF or DFF file declares in its header.
fn announced_size(head: &[u8]) -> Option<u64> {
    match head.first_chunk()? {
        b"RIFF" => {
            let size = u32::from_le_bytes(*head.get(4..)?.first_chunk()?);
            (size < UNKNOWN_SIZE).then_some(size.into())
        }
        b"DSD " => Some(u64::from_le_bytes(*head.get(12..)?.first_chunk()?)),
        b"FRM8" => Some(u64::from_be_bytes(*head.get(4..)?.first_chunk()?)),
        _ => None,
    }
}

/// Whether the last Ogg page extends beyond the end.
fn ends_inside_a_page(end: &[u8]) -> bool {
    let Some(start) = end.windows(5).rposition(|mark| mark == b"OggS\0") else {
        return false;
    };
    let page = &end[start..];
    let table = page.get(26).and_then(|count| page.get(27..27 + usize::from(*count)));
    table.is_none_or(|table| {
        let content: usize = table.iter().map(|length| usize::from(*length)).sum();
        27 + table.len() + content > page.len()
    })
}

/// Whether the MPEG frame that begins with these bytes holds a frame count instead of sound. The count follows the side
/// information, which takes up to 32 bytes.
pub(crate) fn has_frame_count(first_bytes: &[u8]) -> bool {
    first_bytes.windows(4).any(|mark| matches!(mark, b"Xing" | b"Info" | b"VBRI"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_little_less_is_no_broken_promise() {
        for (promise, seconds, is_broken) in [
            (DeclaredLength::Unknown, 0.0, false),
            (DeclaredLength::Broken, 1e9, true),
            (DeclaredLength::Seconds(2.0), 1.8, false),
            (DeclaredLength::Seconds(2.0), 1.7, true),
            (DeclaredLength::Seconds(3600.0), 3585.0, false),
            (DeclaredLength::Seconds(3600.0), 3500.0, true),
            (DeclaredLength::Seconds(2.0), 9.0, false),
        ] {
            assert_eq!(promise.is_broken_by(seconds), is_broken, "{promise:?} {seconds}");
        }
    }

    #[test]
    fn a_riff_file_that_goes_on_is_cut() {
        for (announced, is_expected) in
            [(100, false), (120, false), (500, true), (0, false), (u32::MAX, false), (0x7FFF_F000, false)]
        {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(b"RIFF").unwrap();
            file.write_all(&u32::to_le_bytes(announced)).unwrap();
            file.write_all(&[0; 100]).unwrap();
            assert_eq!(is_cut(&mut file, 108).unwrap(), is_expected, "{announced}");
        }
    }

    #[test]
    fn an_ogg_file_is_cut_where_its_last_page_is() {
        let page = [b"OggS\0\x02".as_slice(), &[0; 20], &[2, 3, 4], b"content"].concat();
        assert!(!ends_inside_a_page(&page));
        assert!(!ends_inside_a_page(&page.repeat(3)));
        for length in 5..page.len() {
            assert!(ends_inside_a_page(&[&page, &page[..length]].concat()), "{length}");
        }
        assert!(!ends_inside_a_page(b"no page at all"));
    }
}
