//! The LAME tag of an MP3 file, from which players take where its sound ends and how loud it is. ffmpeg writes a padding
//! that is too short if the last frame holds none of the sound, and the level of the source whatever was done to it.
//!
//! Source: Mp3 Info Tag revision 1 (LAME).

use std::io::{self, SeekFrom};
use std::path::Path;

use tokio::fs::{File, OpenOptions};
use tokio::io::{AsyncReadExt, AsyncSeekExt, AsyncWriteExt};

use crate::error::MediaError;

/// The samples that decoders add to the delay of the encoder.
const DECODER_DELAY: u32 = 529;
/// The most samples of padding that the tag can hold.
const MOST_PADDING: u64 = 0xFFF;

/// Places in the tag, from its first byte, which is that of the Xing header.
const FRAMES: usize = 8;
const LEVELS: std::ops::Range<usize> = 131..139;
const DELAYS: usize = 141;
const CHECKSUM: usize = 154;
const END: usize = 156;

/// Corrects the tag of an encoded file, if it has one. `count` counts the samples that the encoder received.
pub(crate) async fn correct(
    path: &Path,
    keeps_level: bool,
    count: impl AsyncFnOnce() -> Result<u64, MediaError>,
) -> Result<(), MediaError> {
    let Some(mut tag) = LameTag::read(path).await? else { return Ok(()) };
    let is_uncertain = tag.is_uncertain();
    if is_uncertain {
        tag.end_after(count().await?);
    }
    if !keeps_level {
        tag.forget_level();
    }
    if is_uncertain || !keeps_level {
        tag.write(path).await?;
    }
    Ok(())
}

/// The first frame of an MP3 file that has a complete tag.
struct LameTag {
    /// Where the frame begins in the file.
    place: u64,
    /// The frame, up to the end of the tag.
    bytes: Vec<u8>,
    /// Where the tag begins in the frame.
    start: usize,
    samples_per_frame: u64,
}

impl LameTag {
    /// Reads the tag behind the ID3 tag. `None` if there is none.
    async fn read(path: &Path) -> io::Result<Option<Self>> {
        let mut file = File::open(path).await?;
        let mut head = Vec::new();
        (&mut file).take(10).read_to_end(&mut head).await?;
        let place = match head.as_slice() {
            [b'I', b'D', b'3', _, _, _, size @ ..] => {
                10 + size.iter().fold(0, |sum, byte| sum << 7 | u64::from(byte & 0x7F))
            }
            _ => 0,
        };
        file.seek(SeekFrom::Start(place)).await?;
        let mut bytes = Vec::new();
        file.take(1024).read_to_end(&mut bytes).await?;
        Ok(Self::find(place, bytes))
    }

    fn find(place: u64, mut bytes: Vec<u8>) -> Option<Self> {
        let &[0xFF, kind, _, mode, ..] = bytes.as_slice() else { return None };
        let (is_mpeg1, is_mono) = (kind & 0x18 == 0x18, mode >> 6 == 3);
        let start = match (is_mpeg1, is_mono) {
            (true, false) => 36,
            (true, true) | (false, false) => 21,
            (false, true) => 13,
        };
        let name = bytes.get(start..start + 4)?;
        if bytes.len() < start + END || !(name == b"Xing" || name == b"Info") {
            return None;
        }
        bytes.truncate(start + END);
        Some(Self { place, bytes, start, samples_per_frame: if is_mpeg1 { 1152 } else { 576 } })
    }

    fn tag(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..]
    }

    /// Delay and padding, in samples.
    fn delays(&self) -> (u32, u32) {
        let [a, b, c] = [0, 1, 2].map(|place| u32::from(self.bytes[self.start + DELAYS + place]));
        (a << 4 | b >> 4, (b & 0xF) << 8 | c)
    }

    /// Whether the padding may be too short: it takes up all of the last frame, and maybe some of the one before.
    fn is_uncertain(&self) -> bool {
        u64::from(self.delays().1.saturating_sub(DECODER_DELAY)) == self.samples_per_frame
    }

    /// Sets where the sound ends by how many samples it has.
    fn end_after(&mut self, samples: u64) {
        let (delay, old) = self.delays();
        let frames = self.start + FRAMES;
        let frames = self.bytes[frames..frames + 4].iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let padding = (frames * self.samples_per_frame).checked_sub(u64::from(delay) + samples);
        let Some(padding) = padding.filter(|it| (u64::from(old)..=MOST_PADDING).contains(it)) else { return };
        self.tag()[DELAYS + 1] = ((delay & 0xF) << 4) as u8 | (padding >> 8) as u8;
        self.tag()[DELAYS + 2] = padding as u8;
    }

    /// Removes the peak and the gains.
    fn forget_level(&mut self) {
        self.tag()[LEVELS].fill(0);
    }

    /// Writes the tag back, with its checksum.
    async fn write(mut self, path: &Path) -> io::Result<()> {
        let checksum = crc16(&self.bytes[..self.start + CHECKSUM]);
        self.tag()[CHECKSUM..].copy_from_slice(&checksum.to_be_bytes());
        let mut file = OpenOptions::new().write(true).open(path).await?;
        file.seek(SeekFrom::Start(self.place)).await?;
        file.write_all(&self.bytes).await?;
        file.flush().await
    }
}

/// CRC-16 with the reflected polynomial 0x8005, from 0 (CRC-16/ARC).
fn crc16(bytes: &[u8]) -> u16 {
    let bit = |crc: u16| if crc & 1 == 1 { crc >> 1 ^ 0xA001 } else { crc >> 1 };
    bytes.iter().fold(0, |crc, byte| (0..8).fold(crc ^ u16::from(*byte), |crc, _| bit(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_known_one() {
        assert_eq!(crc16(b"123456789"), 0xBB3D);
    }

    #[test]
    fn other_bytes_have_no_tag() {
        let named = |start: usize, len: usize| {
            let mut bytes = vec![0; len];
            bytes[..4].copy_from_slice(&[0xFF, 0xFB, 0x90, 0]);
            bytes[start..start + 4].copy_from_slice(b"Info");
            bytes
        };
        assert!(LameTag::find(0, named(36, 36 + END)).is_some());
        for bytes in [named(36, 35 + END), named(21, 400), vec![0xFF], Vec::new(), vec![0; 400]] {
            assert!(LameTag::find(0, bytes).is_none());
        }
    }
}
