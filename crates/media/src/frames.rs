//! Frames of bare streams: MPEG audio, and AAC with ADTS headers. Nothing marks such a stream as a whole. It is
//! distinguished from noise by its frames: where one ends, the next begins, with matching properties.

/// What a bare stream is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameKind {
    /// MPEG audio, layer II or III.
    Mpeg,
    /// AAC with ADTS headers.
    Adts,
}

/// The contents of a frame header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    pub(crate) kind: FrameKind,
    /// Bytes of the frame, including its header.
    pub(crate) length: usize,
    /// The fields that stay the same from frame to frame.
    constant: u32,
}

/// Bytes of the longest frame.
pub(crate) const LONGEST_FRAME: usize = 1 << 13;
/// Number of consecutive frames that rule out noise.
const CERTAIN: usize = 3;
/// Tags that may follow the last frame.
const TAGS: [&[u8]; 4] = [b"TAG", b"APETAGEX", b"ID3", b"LYRICSBEGIN"];

/// kbit/s by index, of which 0 is "free" and 15 forbidden: version 1 layer II, version 1 layer III, versions 2 and 2.5.
const KBPS: [[usize; 14]; 3] = [
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
/// Samples per second of version 1; version 2 has half and version 2.5 a quarter of it.
const RATES: [usize; 3] = [44_100, 48_000, 32_000];

impl FrameHeader {
    /// Reads the header at the beginning of these bytes.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let &[sync, second, third, fourth] = bytes.first_chunk()?;
        if sync != 0xff {
            None
        } else if second & 0xf6 == 0xf0 {
            Self::adts([second, third, fourth], bytes.get(4..)?)
        } else {
            Self::mpeg([second, third, fourth])
        }
    }

    fn adts([second, third, fourth]: [u8; 3], rest: &[u8]) -> Option<Self> {
        let &[fifth, sixth] = rest.first_chunk()?;
        let length = usize::from(fourth & 0b11) << 11 | usize::from(fifth) << 3 | usize::from(sixth >> 5);
        // Version, layer, profile, rate and channels.
        let constant = u32::from_be_bytes([0, second, third & 0xfd, fourth & 0xc0]);
        let is_known_rate = third >> 2 & 0xf < 13;
        (is_known_rate && length > 7).then_some(Self { kind: FrameKind::Adts, length, constant })
    }

    fn mpeg([second, third, fourth]: [u8; 3]) -> Option<Self> {
        let (version, layer) = (second >> 3 & 0b11, second >> 1 & 0b11);
        let is_emphasis_known = fourth & 0b11 != 0b10;
        if second & 0xe0 != 0xe0 || version == 0b01 || !matches!(layer, 0b01 | 0b10) || !is_emphasis_known {
            return None;
        }
        let (is_version_1, is_layer_3) = (version == 0b11, layer == 0b01);
        let table = match (is_version_1, is_layer_3) {
            (true, false) => KBPS[0],
            (true, true) => KBPS[1],
            (false, _) => KBPS[2],
        };
        let kbps = table.get(usize::from(third >> 4).checked_sub(1)?)?;
        let divisor = match version {
            0b11 => 1,
            0b10 => 2,
            _ => 4,
        };
        let rate = RATES.get(usize::from(third >> 2 & 0b11))? / divisor;
        let slots = if is_layer_3 && !is_version_1 { 72 } else { 144 };
        let length = slots * kbps * 1000 / rate + usize::from(third >> 1 & 1);
        let constant = u32::from_be_bytes([0, second & 0xfe, third & 0x0c, 0]);
        Some(Self { kind: FrameKind::Mpeg, length, constant })
    }

    /// Whether two frames can belong to the same stream.
    fn goes_with(&self, other: &Self) -> bool {
        (self.kind, self.constant) == (other.kind, other.constant)
    }
}

/// The kind of the stream that begins with these bytes, if there is one: three frames in a row, or two and then the
/// end. `is_all` means that nothing follows these bytes.
pub(crate) fn stream_at(bytes: &[u8], is_all: bool) -> Option<FrameKind> {
    let first = FrameHeader::read(bytes)?;
    let mut rest = bytes.get(first.length..);
    for count in 1..CERTAIN {
        let is_end = |rest: &[u8]| rest.is_empty() || TAGS.iter().any(|tag| rest.starts_with(tag));
        match rest {
            // The last frame may be cut off.
            None => return (is_all && count > 1).then_some(first.kind),
            Some(end) if count > 1 && is_all && is_end(end) => return Some(first.kind),
            Some(next) => {
                let next = FrameHeader::read(next).filter(|next| next.goes_with(&first))?;
                rest = rest.and_then(|rest| rest.get(next.length..));
            }
        }
    }
    Some(first.kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of layer III at 128 kbit/s and 44.1 kHz.
    fn frame() -> Vec<u8> {
        [b"\xff\xfb\x90\x64".as_slice(), &[0; 413]].concat()
    }

    #[test]
    fn frames_are_as_long_as_they_say() {
        for (bytes, kind, length) in [
            (b"\xff\xfb\x90\x64".as_slice(), FrameKind::Mpeg, 417),
            (b"\xff\xfb\x92\x64", FrameKind::Mpeg, 418),
            // Layer II at 384 kbit/s and 48 kHz; version 2.5, layer III, at 8 kbit/s and 8 kHz.
            (b"\xff\xfd\xe4\x04", FrameKind::Mpeg, 1152),
            (b"\xff\xe3\x18\x04", FrameKind::Mpeg, 72),
            (b"\xff\xf1\x50\x80\x2b\x3f\xfc", FrameKind::Adts, 345),
        ] {
            let header = FrameHeader::read(bytes).unwrap();
            assert_eq!((header.kind, header.length), (kind, length), "{bytes:?}");
        }
        assert_eq!(FrameHeader::read(b"\xff\xfeh\0e\0l\0l\0o\0"), None, "a byte order mark of UTF-16");
        assert_eq!(FrameHeader::read(b"\xff\xd8\xff\xe0\0\x10JFIF"), None, "a JPEG");
    }

    #[test]
    fn two_frames_are_a_stream_only_where_nothing_follows() {
        let two = [frame(), frame()].concat();
        assert_eq!(stream_at(&two, true), Some(FrameKind::Mpeg));
        assert_eq!(stream_at(&[&two[..], b"TAG and a title"].concat(), true), Some(FrameKind::Mpeg));
        assert_eq!(stream_at(&[&two[..], b"hello"].concat(), true), None);
        assert_eq!(stream_at(&two, false), None);
        assert_eq!(stream_at(&[two, frame()].concat(), false), Some(FrameKind::Mpeg));
        assert_eq!(stream_at(&frame(), true), None);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_fine(bytes: Vec<u8>, magic in 0..3_usize, is_all: bool) {
            let magic = [b"".as_slice(), b"\xff\xf1\x50\x80", b"\xff\xfb\x90\x64"][magic];
            let _ = stream_at(&[magic, &bytes].concat(), is_all);
        }
    }
}
