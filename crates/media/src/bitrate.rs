//! The sample rates and bitrates that a codec supports, and the nearest to a requested one.

use tonearm_domain::Codec;

/// A sample rate in Hz and a bitrate in kbit/s that an encoder takes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BitrateFit {
    pub(crate) rate: u32,
    /// `None` for lossless codecs.
    pub(crate) kbps: Option<u32>,
}

/// Rates in Hz, ascending, that the encoder accepts and players support.
const fn rates(codec: Codec) -> &'static [u32] {
    match codec {
        Codec::Mp3 | Codec::Ogg => &[8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000],
        Codec::Aac => &[8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000],
        Codec::Opus => &[48000],
        Codec::Flac | Codec::Wav => &[
            8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000, 176_400,
            192_000,
        ],
    }
}

/// The bitrates of MPEG-1 layer III (32 kHz and up) and of MPEG-2 (below), in kbit/s.
const MPEG1: [u32; 14] = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2: [u32; 14] = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/// MPEG-2.5, below 16 kHz, ends here.
const MPEG25_MAX: u32 = 64;

/// Lowest and highest bitrate at a sample rate, in kbit/s.
fn bounds(codec: Codec, rate: u32, channels: u32) -> (u32, u32) {
    match codec {
        Codec::Mp3 if rate >= 32000 => (32, 320),
        Codec::Mp3 if rate >= 16000 => (8, 160),
        Codec::Mp3 => (8, MPEG25_MAX),
        // The format allows at most 6144 bits per channel and frame of 1024 samples.
        Codec::Aac => (if rate > 24000 { 10 * channels } else { 4 * channels }, rate * 6 * channels / 1000),
        Codec::Opus => (6, 256 * channels),
        // Outside these bounds libvorbis refuses to start; found by trial.
        Codec::Ogg => match (rate, channels) {
            (..9000, 1) => (8, 40),
            (..15000, 1) => (12, 48),
            (..19000, 1) => (16, 100),
            (..26000, 1) => (16, 88),
            (..40000, 1) => (30, 180),
            (_, 1) => (32, 240),
            (..9000, _) => (12, 84),
            (..15000, _) => (16, 100),
            (..19000, _) => (24, 200),
            (..26000, _) => (30, 180),
            (..40000, _) => (36, 320),
            _ => (46, 320),
        },
        Codec::Flac | Codec::Wav => (0, u32::MAX),
    }
}

/// The rate nearest to the source's: the same, else the next higher one, which loses nothing. If the source's is too
/// high, that is a fraction of it which keeps everything that is heard, else the highest one.
fn nearest_rate(codec: Codec, source: u32) -> u32 {
    let rates = rates(codec);
    let highest = rates[rates.len() - 1];
    let fraction = || rates.iter().rev().find(|rate| **rate >= 44_100 && source.is_multiple_of(**rate));
    let next = || rates.iter().find(|rate| **rate >= source);
    let best = if source > highest { fraction() } else { next() };
    best.copied().unwrap_or(highest)
}

/// The rate and bitrate to encode with. The source's rate is kept if the codec supports it, unless the bitrate is too
/// low for it. A bitrate that the codec does not support is replaced by the nearest that it does.
pub(crate) fn fit(codec: Codec, source_rate: u32, channels: u32, kbps: u16) -> BitrateFit {
    let rate = nearest_rate(codec, source_rate);
    if codec.is_lossless() {
        return BitrateFit { rate, kbps: None };
    }
    let kbps = u32::from(kbps);
    let rate = rates(codec)
        .iter()
        .copied()
        .filter(|lower| *lower <= rate && bounds(codec, *lower, channels).0 <= kbps)
        .max()
        .unwrap_or(rates(codec)[0]);
    let (low, high) = bounds(codec, rate, channels);
    let kbps = kbps.clamp(low, high);
    let kbps = match codec {
        Codec::Mp3 => nearest(if rate >= 32000 { &MPEG1 } else { &MPEG2 }, kbps),
        _ => kbps,
    };
    BitrateFit { rate, kbps: Some(kbps) }
}

fn nearest(ladder: &[u32], kbps: u32) -> u32 {
    let distance = |step: &&u32| step.abs_diff(kbps);
    ladder.iter().min_by_key(distance).copied().unwrap_or(kbps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_bitrates_meet_the_codec() {
        for (codec, rate, channels, kbps, expected) in [
            (Codec::Mp3, 44100, 2, 256, (44100, Some(256))),
            (Codec::Mp3, 96000, 2, 300, (48000, Some(320))),
            (Codec::Mp3, 88200, 2, 128, (44100, Some(128))),
            (Codec::Mp3, 60000, 2, 128, (48000, Some(128))),
            (Codec::Ogg, 56000, 2, 128, (48000, Some(128))),
            (Codec::Mp3, 64000, 2, 128, (48000, Some(128))),
            (Codec::Aac, 200_000, 2, 128, (96000, Some(128))),
            (Codec::Mp3, 22050, 1, 320, (22050, Some(160))),
            (Codec::Mp3, 8000, 1, 320, (8000, Some(64))),
            (Codec::Mp3, 44100, 2, 12, (24000, Some(8))),
            (Codec::Aac, 44100, 2, 128, (44100, Some(128))),
            (Codec::Aac, 8000, 1, 128, (8000, Some(48))),
            (Codec::Opus, 44100, 1, 320, (48000, Some(256))),
            (Codec::Ogg, 48000, 2, 24, (16000, Some(24))),
            (Codec::Ogg, 37800, 1, 128, (44100, Some(128))),
            (Codec::Flac, 192_000, 2, 12, (192_000, None)),
            (Codec::Flac, 352_800, 2, 12, (176_400, None)),
        ] {
            let fit = fit(codec, rate, channels, kbps);
            assert_eq!((fit.rate, fit.kbps), expected, "{codec:?} {rate} {channels} {kbps}");
        }
    }
}
