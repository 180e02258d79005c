//! Detects a file's type by its first bytes.

use tonearm_domain::ContentType;

use crate::frames::{FrameHeader, FrameKind};

/// How much of a file [`sniff`] looks at.
const WINDOW: usize = 4096;

/// The type of a file by its first bytes; 4 KiB are enough, more are ignored. `None` if it is not a known kind of audio
/// (or of video with audio). This only names the content type of an object: decoding decides whether it holds sound.
pub fn sniff(first_bytes: &[u8]) -> Option<ContentType> {
    let bytes = &first_bytes[..first_bytes.len().min(WINDOW)];
    by_magic(bytes).or_else(|| by_frame_header(bytes))
}

/// Detects the type by a magic number at a fixed offset.
fn by_magic(bytes: &[u8]) -> Option<ContentType> {
    let at = |offset: usize, mark: &[u8]| bytes.get(offset..offset + mark.len()) == Some(mark);
    let riff = at(0, b"RIFF") || at(0, b"RF64") || at(0, b"BW64");
    Some(match () {
        () if riff && at(8, b"WAVE") => ContentType::Wav,
        // Sony Wave64 writes chunk names as GUIDs.
        () if at(0, b"riff\x2e\x91\xcf\x11") => ContentType::Wav,
        () if at(0, b"fLaC") => ContentType::Flac,
        () if at(0, b"OggS") => ogg(bytes),
        () if at(0, b"FORM") && (at(8, b"AIFF") || at(8, b"AIFC")) => ContentType::Aiff,
        () if at(0, b"caff") => ContentType::Caf,
        () if at(0, b"#!AMR") => ContentType::Amr,
        () if at(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11") => ContentType::Wma,
        () if at(0, b"\x1a\x45\xdf\xa3") => matroska(bytes),
        () if at(4, b"ftyp") => match bytes.get(8..12) {
            Some(b"M4A " | b"M4B " | b"M4P ") => ContentType::M4a,
            _ => ContentType::Mp4,
        },
        // QuickTime files that predate brands begin with any of these.
        () if at(4, b"moov") || at(4, b"mdat") || at(4, b"wide") => ContentType::Mp4,
        () if at(0, b"ID3") => behind_id3(bytes),
        () => return None,
    })
}

/// The first page's payload begins with the codec's name.
fn ogg(bytes: &[u8]) -> ContentType {
    let payload = bytes.get(26).and_then(|&segments| bytes.get(27 + usize::from(segments)..));
    match payload {
        Some(payload) if payload.starts_with(b"OpusHead") => ContentType::Opus,
        _ => ContentType::Ogg,
    }
}

/// The EBML header holds the document type: element 4282, one byte of length, text.
fn matroska(bytes: &[u8]) -> ContentType {
    let header = &bytes[..bytes.len().min(64)];
    let is_webm = header.windows(7).any(|w| w == b"\x42\x82\x84webm");
    if is_webm { ContentType::Webm } else { ContentType::Mkv }
}

/// An ID3 tag precedes MP3, and occasionally other streams. A tag with a cover is longer than these first bytes; MP3 is
/// then by far the most likely.
fn behind_id3(bytes: &[u8]) -> ContentType {
    let size = bytes.get(6..10).map(|s| s.iter().fold(0usize, |sum, b| sum << 7 | usize::from(b & 0x7f)));
    let rest = size.and_then(|size| bytes.get(10 + size..)).unwrap_or_default();
    if rest.starts_with(b"fLaC") {
        ContentType::Flac
    } else {
        by_frame_header(rest).unwrap_or(ContentType::Mp3)
    }
}

/// Streams without a container: MPEG audio (layers II and III) and AAC with ADTS headers.
fn by_frame_header(bytes: &[u8]) -> Option<ContentType> {
    let header = FrameHeader::read(bytes)?;
    match header.kind {
        FrameKind::Mpeg => Some(ContentType::Mp3),
        FrameKind::Adts => {
            let is_frame = |next: &[u8]| next[0] == 0xff && next[1] & 0xf6 == 0xf0;
            bytes.get(header.length..header.length + 2).is_none_or(is_frame).then_some(ContentType::Aac)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_name_their_containers() {
        let opus = [b"OggS\0\x02".as_slice(), &[0; 20], b"\x01\x13OpusHead"].concat();
        let vorbis = [b"OggS\0\x02".as_slice(), &[0; 20], b"\x01\x1e\x01vorbis"].concat();
        for (bytes, expected) in [
            (b"RIFF\0\0\0\0WAVEfmt ".as_slice(), ContentType::Wav),
            (b"RF64\xff\xff\xff\xffWAVEds64", ContentType::Wav),
            (b"fLaC\0\0\0\x22", ContentType::Flac),
            (&opus, ContentType::Opus),
            (&vorbis, ContentType::Ogg),
            (b"FORM\0\0\0\0AIFC", ContentType::Aiff),
            (b"caff\0\x01", ContentType::Caf),
            (b"#!AMR-WB\n", ContentType::Amr),
            (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9", ContentType::Wma),
            (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", ContentType::Webm),
            (b"\x1a\x45\xdf\xa3\xa3\x42\x82\x88matroska", ContentType::Mkv),
            (b"\0\0\0\x20ftypM4A \0\0\0\0", ContentType::M4a),
            (b"\0\0\0\x20ftypqt  \0\0\0\0", ContentType::Mp4),
            (b"ID3\x04\0\0\0\0\0\0\xff\xfb\x90\x64", ContentType::Mp3),
            (b"ID3\x04\0\0\0\0\0\x02\0\0fLaC", ContentType::Flac),
            (b"\xff\xfb\x90\x64\0\0", ContentType::Mp3),
            (b"\xff\xf1\x50\x80\x2b\x3f\xfc", ContentType::Aac),
            // Frames of 8 bytes, so that the next frame is visible.
            (b"\xff\xf1\x50\x80\x01\x1f\xfc\0\xff\xf1\x50", ContentType::Aac),
        ] {
            assert_eq!(sniff(bytes), Some(expected), "{bytes:?}");
        }
    }

    #[test]
    fn other_files_have_no_name() {
        for bytes in [
            b"".as_slice(),
            b"RIFF\0\0\0\0AVI ",
            b"#EXTM3U\n",
            b"\x89PNG\r\n\x1a\n",
            // A UTF-16 byte order mark is not a sync word.
            b"\xff\xfeh\0e\0l\0l\0o\0",
            b"\xff\xd8\xff\xe0\0\x10JFIF",
            b"hello, world",
            // A sync word of AAC, but no second frame where the first one ends.
            b"\xff\xf1\x50\x80\x01\x1f\xfc\0hello",
        ] {
            assert_eq!(sniff(bytes), None, "{bytes:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_fine(bytes: Vec<u8>, magic in 0..6usize) {
            let magic = [b"".as_slice(), b"OggS", b"ID3\x03\0\0", b"\xff\xf1", b"\x1a\x45\xdf\xa3", b"\xff\xfb"][magic];
            let _ = sniff(&[magic, &bytes].concat());
        }
    }
}
