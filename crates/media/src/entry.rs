//! Where the sound begins in files whose beginning ffmpeg would not find: after junk, after a truncated tag, or after a
//! tag that declares a wrong length.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use crate::frames::{self, FrameKind, LONGEST_FRAME};

/// How ffmpeg has to read a file whose beginning it would not find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// ffmpeg's name of the format.
    pub(crate) format: &'static str,
    /// Number of bytes before it.
    pub(crate) skip: u64,
}

/// How far to search for the beginning, in bytes: past a tag with a large picture.
const FAR: u64 = 32 << 20;
/// Bytes searched at once.
const WINDOW: usize = 1 << 18;
/// Bytes needed to recognise a stream: more than the frames that [`frames::stream_at`] checks.
const STREAM: usize = 4 * LONGEST_FRAME;
/// A FLAC file begins with its stream information, which has 34 bytes. The first bit says whether it is the last block.
const FLAC: [[u8; 8]; 2] = [*b"fLaC\0\0\0\x22", *b"fLaC\x80\0\0\x22"];
/// The most tags that are skipped at the beginning of a file. Each takes a read, and a hostile file could have
/// millions.
const MOST_TAGS: usize = 64;

/// Bytes of an ID3v2 header, and of a footer.
const ID3: u64 = 10;

/// The end of the first [`MOST_TAGS`] ID3v2 tags at the beginning of a file, by their declared lengths; 0 if there are
/// none.
pub(crate) fn end_of_tags(file: &mut File) -> io::Result<u64> {
    let mut end = 0;
    for _ in 0..MOST_TAGS {
        match id3_length(&read_at(file, end, ID3 as usize)?) {
            Some(length) => end += length,
            None => break,
        }
    }
    Ok(end)
}

/// The length of an ID3v2 tag by its header, where only seven bits of each byte count.
fn id3_length(head: &[u8]) -> Option<u64> {
    let Some(&[b'I', b'D', b'3', _, _, flags, a, b, c, d]) = head.first_chunk() else {
        return None;
    };
    let length = [a, b, c, d].iter().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7f));
    let footer = if flags & 0x10 == 0 { 0 } else { ID3 };
    Some(ID3 + length + footer)
}

/// Where the sound begins in a file whose tags end elsewhere than they declare; `None` if their lengths are right.
pub(crate) fn behind_lying_tags(file: &mut File, end_of_tags: u64) -> io::Result<Option<Entry>> {
    if end_of_tags == 0 {
        return Ok(None);
    }
    // Anything after the declared end is padding, which ffmpeg skips.
    Ok(find(file, ID3)?.filter(|entry| entry.skip < end_of_tags))
}

/// Whether a known format begins at an offset.
pub(crate) fn is_beginning(file: &mut File, place: u64) -> io::Result<bool> {
    let bytes = read_at(file, place, STREAM)?;
    let is_other = || crate::sniff(&bytes).is_some_and(|_| frames::FrameHeader::read(&bytes).is_none());
    Ok(frames::stream_at(&bytes, bytes.len() < STREAM).is_some() || is_other())
}

/// The first beginning of a bare stream or a FLAC file at or after an offset.
pub(crate) fn find(file: &mut File, from: u64) -> io::Result<Option<Entry>> {
    let mut place = from;
    while place < from + FAR {
        let bytes = read_at(file, place, WINDOW + STREAM)?;
        let is_all = bytes.len() < WINDOW + STREAM;
        let candidates = if is_all { bytes.len() } else { WINDOW };
        for offset in 0..candidates {
            let format = match bytes[offset] {
                0xff => frames::stream_at(&bytes[offset..], is_all).map(FrameKind::demuxer),
                b'f' => FLAC.iter().any(|magic| bytes[offset..].starts_with(magic)).then_some("flac"),
                _ => None,
            };
            if let Some(format) = format {
                return Ok(Some(Entry { format, skip: place + offset as u64 }));
            }
        }
        if is_all {
            break;
        }
        place += WINDOW as u64;
    }
    Ok(None)
}

/// Up to `count` bytes from an offset on, fewer at the end of the file.
pub(crate) fn read_at(file: &mut File, place: u64, count: usize) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(place))?;
    let mut bytes = Vec::with_capacity(count);
    file.take(count as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

impl FrameKind {
    /// ffmpeg's name of the format.
    fn demuxer(self) -> &'static str {
        match self {
            Self::Mpeg => "mp3",
            Self::Adts => "aac",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const FRAMES: usize = 5;

    fn stream() -> Vec<u8> {
        [b"\xff\xfb\x90\x64".as_slice(), &[0; 413]].concat().repeat(FRAMES)
    }

    fn tag(claims: u32, content: &[u8]) -> Vec<u8> {
        let claims = [21, 14, 7, 0].map(|shift| (claims >> shift & 0x7f) as u8);
        [b"ID3\x04\0\0".as_slice(), &claims, content].concat()
    }

    fn file(parts: &[&[u8]]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&parts.concat()).unwrap();
        file
    }

    fn entry(parts: &[&[u8]]) -> Option<Entry> {
        let mut file = file(parts);
        let end = end_of_tags(&mut file).unwrap();
        if is_beginning(&mut file, end).unwrap() { None } else { behind_lying_tags(&mut file, end).unwrap() }
    }

    #[test]
    fn honest_tags_are_believed() {
        let content = [0; 100];
        for parts in [
            &[&tag(100, &content)[..], &stream()][..],
            &[&tag(100, &content), &tag(100, &content), &stream()],
            &[&tag(100, &content), b"fLaC\0\0\0\x22", &content],
            &[&tag(100, &content), &[0; 3000], &stream()],
            &[&stream()],
        ] {
            assert_eq!(entry(parts), None);
        }
    }

    #[test]
    fn so_many_tags_are_believed_and_no_more() {
        for (tags, expected) in [(0, 0), (3, 30), (MOST_TAGS, 640), (10_000, 640)] {
            let mut file = file(&[&tag(0, b"").repeat(tags), &stream()]);
            assert_eq!(end_of_tags(&mut file).unwrap(), expected, "{tags}");
        }
    }

    #[test]
    fn lies_are_found_out() {
        let content = [0; 100];
        for claims in [5, 50, 400, 1000, 100_000_000] {
            let place = if claims < 100 { None } else { Some(Entry { format: "mp3", skip: 110 }) };
            assert_eq!(entry(&[&tag(claims, &content), &stream()]), place, "{claims}");
        }
        let flac = [b"fLaC\0\0\0\x22".as_slice(), &[7; 500]].concat();
        let expected = Some(Entry { format: "flac", skip: 110 });
        assert_eq!(entry(&[&tag(200, &content), &flac]), expected);
    }

    #[test]
    fn the_beginning_is_found_across_windows() {
        for junk in [0, 1, WINDOW - 2, WINDOW, 3 * WINDOW + 5] {
            let found = find(&mut file(&[&vec![0xff; junk], &stream()]), 0).unwrap();
            assert_eq!(found, Some(Entry { format: "mp3", skip: junk as u64 }));
        }
        assert_eq!(find(&mut file(&[&vec![0xff; 2 * WINDOW]]), 0).unwrap(), None);
    }
}
