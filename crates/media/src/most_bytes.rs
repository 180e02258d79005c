//! How large an output can become, before anything is encoded.

use tonearm_domain::Codec;

use crate::args::{encoding_of, rate_of};
use crate::probe::Probe;
use crate::render::Output;

/// The longest sound that counts: headers can claim any duration.
const LONGEST_SECONDS: f64 = 10.0 * 86_400.0;
/// What a container adds to the sound, with its tags.
const AROUND: u64 = 64 * 1024;

impl Output<'_> {
    /// The most bytes that this output of a track of `duration` seconds has, unless the track is longer than that or
    /// the picture in it is large.
    pub fn most_bytes(&self, probe: &Probe, duration: f64) -> u64 {
        let seconds = self.seconds(duration).clamp(0.0, LONGEST_SECONDS);
        let encoding = encoding_of(probe, self);
        let bits_per_second = match encoding.kbps {
            Some(kbps) => f64::from(kbps) * 1000.0 * variation(encoding.codec),
            None => {
                let is_deep = probe.info.bits_per_sample.is_some_and(|bits| bits > 16);
                let bits = if is_deep { 24.0 } else { 16.0 };
                // FLAC stores what it cannot compress as it is, with a header for each frame.
                f64::from(rate_of(probe, self)) * f64::from(encoding.channels) * bits * 1.01
            }
        };
        (seconds * bits_per_second / 8.0).ceil() as u64 + AROUND
    }
}

/// How far an encoder exceeds its bitrate with noise, which is the hardest sound to encode.
fn variation(codec: Codec) -> f64 {
    match codec {
        Codec::Mp3 => 1.02,
        Codec::Aac | Codec::Ogg | Codec::Opus | Codec::Flac | Codec::Wav => 1.5,
    }
}
