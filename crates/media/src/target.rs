//! How to reach a loudness target: which gain to try, and what to change after a result. Pure functions.

use tonearm_domain::Codec;

use crate::limiter::{Gain, Level, LoudnessCurve};

/// The highest true peak where loudness is normalised, in dBTP (EBU R 128).
pub(crate) const HIGHEST_PEAK: f64 = -1.0;
/// How far a sound may be from its target, in LU.
const TOLERANCE: f64 = 0.3;
/// How far the result may be off before another attempt is worth its time, in LU: other meters differ in the last
/// digits.
const GOOD: f64 = 0.28;
/// How much the ceiling is lowered beyond the overshoot of the peaks, in dB, as a lower ceiling makes them a little
/// rougher.
const SPARE: f64 = 0.25;
/// How much quieter lossy codecs make sound on average, in LU, by leaving out high and faint parts: nothing for a few
/// tones, 0.3 for noise.
const LEFT_OUT: f64 = 0.1;
/// How far the peaks of a sound that misses its target may be below the highest peak, in dB.
const UNUSED: f64 = 0.5;
/// The bounds of the ceiling, in dBTP. It may be above full scale before an encoder that leaves out the peaks.
const LOWEST_CEILING: f64 = -9.0;
const HIGHEST_CEILING: f64 = 9.0;

/// The search for the gain that reaches a target.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Search {
    /// In LUFS.
    target: f64,
    /// The level before the gain.
    source: Level,
    /// The limiter's ceiling before encoding, in dBTP.
    ceiling: f64,
    /// How much louder the result is than predicted, in LU.
    bias: f64,
    curve: Option<LoudnessCurve>,
}

/// The encoding of a sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Encoding {
    pub(crate) codec: Codec,
    /// Bitrate in kbit/s; none for lossless codecs.
    pub(crate) kbps: Option<u32>,
    pub(crate) channels: u32,
}

impl Encoding {
    /// How far the ceiling before encoding is below the highest allowed peak, in dB: peaks grow when the sample rate is
    /// restored after the limiter, and by what lossy codecs leave out. Measured on speech, music and noise.
    fn margin(self) -> f64 {
        match self.kbps {
            None => 0.3,
            Some(kbps) if kbps >= 96 * self.channels => 1.0,
            Some(_) => 1.5,
        }
    }

    /// How much louder than its input an encoder makes sound, in dB. LAME scales it: by 0.95 up to 160 kbit/s, by 0.97
    /// and 0.98 at the next two steps (measured with LAME 3.100).
    fn bias(self) -> f64 {
        let scale: f64 = match (self.codec, self.kbps) {
            (Codec::Mp3, Some(..=160)) => 0.95,
            (Codec::Mp3, Some(..=192)) => 0.97,
            (Codec::Mp3, Some(..=224)) => 0.98,
            _ => 1.0,
        };
        let left_out = if self.codec.is_lossless() { 0.0 } else { LEFT_OUT };
        20.0 * scale.log10() - left_out
    }
}

/// A gain and its expected result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Attempt {
    pub(crate) gain: Gain,
    pub(crate) expected: Level,
}

impl Search {
    pub(crate) fn new(target: f64, source: Level, encoding: Encoding) -> Self {
        let ceiling = HIGHEST_PEAK - encoding.margin();
        Self { target, source, ceiling, bias: encoding.bias(), curve: None }
    }

    fn plain_gain(&self) -> f64 {
        self.target - self.bias - self.source.loudness
    }

    /// Whether peaks would come out too high without a limiter.
    fn limits(&self) -> bool {
        self.source.true_peak + self.plain_gain() > self.ceiling
    }

    /// Whether a forecast is needed before the next attempt.
    pub(crate) fn needs_curve(&self) -> bool {
        self.limits() && self.curve.is_none()
    }

    pub(crate) fn learn(&mut self, curve: LoudnessCurve) {
        self.curve = Some(curve);
    }

    /// The next attempt.
    pub(crate) fn attempt(&self) -> Attempt {
        let (source, ceiling) = (self.source, self.ceiling);
        match &self.curve {
            Some(curve) if self.limits() => {
                let drive = curve.drive(self.target - self.bias - ceiling);
                let decibels = drive - source.true_peak + ceiling;
                let loudness = curve.loudness(drive) + ceiling + self.bias;
                let expected = Level { loudness, true_peak: ceiling };
                Attempt { gain: Gain { decibels, ceiling: Some(ceiling) }, expected }
            }
            _ => {
                let decibels = self.plain_gain();
                let expected = Level { loudness: self.target, true_peak: source.true_peak + decibels };
                Attempt { gain: Gain { decibels, ceiling: None }, expected }
            }
        }
    }

    /// Whether another attempt would come nearer to the target than this result. If so, adjusts the search for it.
    pub(crate) fn improve(&mut self, attempt: &Attempt, measured: Level) -> bool {
        let (off, overshoot) =
            (measured.loudness - attempt.expected.loudness, measured.true_peak - attempt.expected.true_peak);
        let is_too_high = measured.true_peak > HIGHEST_PEAK;
        let has_room = measured.true_peak < HIGHEST_PEAK - UNUSED;
        let is_too_quiet =
            measured.loudness < self.target - GOOD && has_room && attempt.gain.ceiling.is_some();
        if off.abs() <= GOOD && !is_too_high && !is_too_quiet {
            return false;
        }
        self.bias += off;
        if is_too_high || is_too_quiet {
            self.ceiling = (HIGHEST_PEAK - overshoot - SPARE).clamp(LOWEST_CEILING, HIGHEST_CEILING);
        }
        true
    }

    /// Whether a result meets the target.
    pub(crate) fn is_reached(&self, measured: Level) -> bool {
        (measured.loudness - self.target).abs() <= TOLERANCE && measured.true_peak <= HIGHEST_PEAK
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MP3: Encoding = Encoding { codec: Codec::Mp3, kbps: Some(96), channels: 2 };

    proptest! {
        /// An encoder that changes loudness and peaks by a constant amount is compensated at the second attempt.
        #[test]
        fn a_steady_encoder_is_seen_through(
            target in -40.0..-5.0_f64,
            loudness in -60.0..-5.0_f64,
            crest in 0.0..30.0_f64,
            change in -3.0..3.0_f64,
            overshoot in -0.5..3.0_f64,
        ) {
            let source = Level { loudness, true_peak: loudness + crest };
            let mut search = Search::new(target, source, MP3);
            let mut attempt = search.attempt();
            prop_assert_eq!(attempt.gain.ceiling, None);
            let mut measured = Level { loudness: 0.0, true_peak: 0.0 };
            for _ in 0..3 {
                if search.needs_curve() {
                    // No forecast is available: the limiter is not simulated here.
                    return Ok(());
                }
                attempt = search.attempt();
                measured = Level {
                    loudness: loudness + attempt.gain.decibels + change,
                    true_peak: source.true_peak + attempt.gain.decibels + overshoot,
                };
                if !search.improve(&attempt, measured) {
                    break;
                }
            }
            prop_assert!(search.is_reached(measured), "{attempt:?} {measured:?}");
        }

        #[test]
        fn peaks_below_the_ceiling_meet_no_limiter(
            target in -70.0..-5.0_f64,
            loudness in -70.0..0.0_f64,
            true_peak in -70.0..3.0_f64,
        ) {
            for encoding in [MP3, Encoding { codec: Codec::Wav, kbps: None, channels: 2 }] {
                let search = Search::new(target, Level { loudness, true_peak }, encoding);
                let lifted = true_peak + target - loudness - encoding.bias();
                prop_assert_eq!(search.needs_curve(), lifted > search.ceiling);
                prop_assert!(search.ceiling < HIGHEST_PEAK);
            }
        }
    }
}
