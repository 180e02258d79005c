//! Reads the header of a plain WAV file in this process: starting ffprobe takes longer than encoding a voice note.
//!
//! Only files that need no further analysis are accepted: a format chunk of PCM, the samples up to the very end, and
//! between them no chunk that could hold a tag or a picture. ffprobe handles all others.

use std::path::Path;

use tokio::io::AsyncReadExt;
use tonearm_domain::TrackInfo;

use crate::declared_length::DeclaredLength;
use crate::pcm::Pcm;
use crate::probe::Probe;
use tonearm_signal::SampleEncoding;

/// Bytes that are read.
const HEAD: u64 = 4096;
/// Chunks between format and samples that hold no information for listeners.
const MEANINGLESS: [&[u8; 4]; 4] = [b"fact", b"JUNK", b"junk", b"PAD "];
/// Format tags.
const PCM: u16 = 1;
const FLOAT: u16 = 3;

/// What the file holds, if it is a plain WAV file of `size` bytes.
pub(crate) async fn read(path: &Path, size: u64) -> std::io::Result<Option<Probe>> {
    let mut head = Vec::new();
    tokio::fs::File::open(path).await?.take(HEAD).read_to_end(&mut head).await?;
    Ok(parse(&head, size))
}

struct Format {
    tag: u16,
    channels: u16,
    rate: u32,
    frame_bytes: u16,
    bits: u16,
}

fn parse(head: &[u8], size: u64) -> Option<Probe> {
    if head.get(..4)? != b"RIFF" || head.get(8..12)? != b"WAVE" {
        return None;
    }
    let mut format = None;
    let mut place = 12_usize;
    loop {
        let (name, length) = (head.get(place..place + 4)?, u32_at(head, place + 4)?);
        let body = place + 8;
        match name {
            b"fmt " if format.is_none() => format = Some(parse_format(head, body)?),
            b"data" => {
                return probe(&format?, body as u64, u64::from(length), size.checked_sub(body as u64)?);
            }
            other if MEANINGLESS.iter().any(|chunk| other == *chunk) => {}
            _ => return None,
        }
        place = body.checked_add(length as usize)?.checked_next_multiple_of(2)?;
        if place > head.len() {
            return None;
        }
    }
}

fn parse_format(head: &[u8], at: usize) -> Option<Format> {
    Some(Format {
        tag: u16_at(head, at)?,
        channels: u16_at(head, at + 2)?,
        rate: u32_at(head, at + 4)?,
        frame_bytes: u16_at(head, at + 12)?,
        bits: u16_at(head, at + 14)?,
    })
}

/// The probe for a format and `length` bytes of samples from `start` on, with `left` bytes left in the file.
fn probe(format: &Format, start: u64, length: u64, left: u64) -> Option<Probe> {
    let (codec, encoding) = match (format.tag, format.bits) {
        (PCM, 8) => ("pcm_u8", SampleEncoding::Unsigned8),
        (PCM, 16) => ("pcm_s16le", SampleEncoding::Signed16),
        (PCM, 24) => ("pcm_s24le", SampleEncoding::Signed24),
        (PCM, 32) => ("pcm_s32le", SampleEncoding::Signed32),
        (FLOAT, 32) => ("pcm_f32le", SampleEncoding::Float32),
        _ => return None,
    };
    let frame_bytes = u64::from(format.channels) * u64::from(format.bits / 8);
    // Chunks are padded to an even number of bytes; nothing else may follow.
    let is_whole = left == length || (length % 2 == 1 && left == length + 1);
    let is_plain = matches!(format.channels, 1 | 2)
        && u64::from(format.frame_bytes) == frame_bytes
        && (8_000..=192_000).contains(&format.rate)
        && is_whole
        && length >= frame_bytes
        && length.is_multiple_of(frame_bytes);
    if !is_plain {
        return None;
    }
    let frames = length / frame_bytes;
    Some(Probe {
        duration: frames as f64 / f64::from(format.rate),
        expected_frames: Some(frames),
        pcm: Some(Pcm { start, length, encoding }),
        may_be_impossible: encoding == SampleEncoding::Float32,
        promise: DeclaredLength::Seconds(frames as f64 / f64::from(format.rate)),
        info: TrackInfo {
            container: Some("wav".to_owned()),
            codec: Some(codec.to_owned()),
            sample_rate: Some(format.rate),
            channels: Some(format.channels.into()),
            bit_rate: Some(u64::from(format.rate) * frame_bytes * 8),
            bits_per_sample: Some(format.bits.into()),
            ..TrackInfo::default()
        },
        ..Probe::of_sound(format.rate, format.channels.into())
    })
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).map(|two| u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tonearm_fixtures::audio::{WavSpec, wav};

    use super::*;
    use crate::limits::RunScope;
    use crate::media::{Media, MediaConfig};

    fn of(bytes: &[u8]) -> Option<Probe> {
        parse(&bytes[..bytes.len().min(HEAD as usize)], bytes.len() as u64)
    }

    /// A file with a chunk that requires ffprobe gives otherwise the same result.
    #[tokio::test]
    async fn it_says_what_ffprobe_says() {
        let folder = tempfile::tempdir().unwrap();
        let media = Media::new(MediaConfig::find());
        for (bits, channels, sample_rate) in
            [(8, 1, 8_000), (16, 2, 44_100), (24, 2, 96_000), (32, 1, 48_000)]
        {
            let mut bytes = wav(&WavSpec { seconds: 0.5, bits, channels, sample_rate, ..WavSpec::default() });
            let mut own = of(&bytes).unwrap();
            own.pcm = None;
            bytes.extend(b"LIST\x04\0\0\0INFO");
            assert_eq!(of(&bytes), None);
            let path = folder.path().join("a.wav");
            std::fs::write(&path, &bytes).unwrap();
            let mut other = media.probe(&path, &RunScope::default()).await.unwrap();
            other.channel_layout = None;
            assert_eq!(own, other);
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_others() {
        let whole = wav(&WavSpec { seconds: 0.1, ..WavSpec::default() });
        assert!(of(&whole).is_some_and(|probe| !probe.may_have_tags()));
        // A chunk after the samples may hold tags.
        assert_eq!(of(&[&whole[..], b"id3 \x02\0\0\0\0\0"].concat()), None);
        assert_eq!(of(&whole[..whole.len() - 1]), None);
        assert_eq!(of(&whole[..44]), None);
        assert_eq!(of(b"RIFF"), None);
        let surround = wav(&WavSpec { seconds: 0.1, channels: 6, ..WavSpec::default() });
        assert_eq!(of(&surround), None);
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..200),
            places in prop::collection::vec((0..60_usize, any::<u8>()), 0..6),
        ) {
            of(&bytes);
            let mut damaged = wav(&WavSpec { seconds: 0.01, ..WavSpec::default() });
            for (place, byte) in places {
                damaged[place] = byte;
            }
            of(&damaged);
        }
    }
}
