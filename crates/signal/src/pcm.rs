//! Raw samples in a file or a pipe, without a codec.

/// The most that a float sample can be: 36 dB above full scale.
const MOST: f32 = 64.0;

/// How one sample is written; more than one byte is little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleEncoding {
    Unsigned8,
    Signed16,
    Signed24,
    Signed32,
    Float32,
}

impl SampleEncoding {
    /// Bytes of a sample.
    pub fn bytes(self) -> usize {
        match self {
            Self::Unsigned8 => 1,
            Self::Signed16 => 2,
            Self::Signed24 => 3,
            Self::Signed32 | Self::Float32 => 4,
        }
    }

    /// Whether samples are all what [`Self::read`] makes of them.
    pub fn are_possible(self, bytes: &[u8]) -> bool {
        let (fours, _) = bytes.as_chunks();
        // NaN compares as false.
        self != Self::Float32 || fours.iter().all(|four| f32::from_le_bytes(*four).abs() <= MOST)
    }

    /// Decodes whole samples and appends them, with full scale being 1: the same numbers that ffmpeg computes.
    pub fn read(self, bytes: &[u8], samples: &mut Vec<f32>) {
        match self {
            Self::Unsigned8 => samples.extend(bytes.iter().map(|byte| (f32::from(*byte) - 128.0) / 128.0)),
            Self::Signed16 => {
                let (shorts, _) = bytes.as_chunks();
                samples.extend(shorts.iter().map(|short| f32::from(i16::from_le_bytes(*short)) / 32_768.0));
            }
            Self::Signed24 => {
                let (threes, _) = bytes.as_chunks();
                samples.extend(threes.iter().map(|[a, b, c]| whole(i32::from_le_bytes([0, *a, *b, *c]))));
            }
            Self::Signed32 => {
                let (fours, _) = bytes.as_chunks();
                samples.extend(fours.iter().map(|four| whole(i32::from_le_bytes(*four))));
            }
            Self::Float32 => {
                let (fours, _) = bytes.as_chunks();
                samples.extend(fours.iter().map(|four| tame(f32::from_le_bytes(*four))));
            }
        }
    }
}

fn whole(number: i32) -> f32 {
    number as f32 / 2_147_483_648.0
}

/// What a float may also be would spoil every sum: NaN is taken for silence, and what exceeds [`MOST`] for that much.
fn tame(sample: f32) -> f32 {
    if sample.is_nan() { 0.0 } else { sample.clamp(-MOST, MOST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_scale_is_one() {
        for (encoding, bytes, expected) in [
            (SampleEncoding::Unsigned8, &[0, 128, 192][..], [-1.0, 0.0, 0.5]),
            (SampleEncoding::Signed16, &[0, 128, 0, 0, 0, 64], [-1.0, 0.0, 0.5]),
            (SampleEncoding::Signed24, &[0, 0, 128, 0, 0, 0, 0, 0, 64], [-1.0, 0.0, 0.5]),
            (SampleEncoding::Signed32, &[0, 0, 0, 128, 0, 0, 0, 0, 0, 0, 0, 64], [-1.0, 0.0, 0.5]),
            (SampleEncoding::Float32, &[0, 0, 128, 191, 0, 0, 192, 127, 0, 0, 0, 63], [-1.0, 0.0, 0.5]),
        ] {
            let mut samples = Vec::new();
            encoding.read(bytes, &mut samples);
            assert_eq!(samples, expected, "{encoding:?}");
            assert_eq!(bytes.len(), 3 * encoding.bytes());
        }
    }

    #[test]
    fn impossible_samples_are_noticed_and_changed() {
        for (sample, read) in [
            (64.0, 64.0),
            (-64.0, -64.0),
            (64.1, 64.0),
            (-1e30, -64.0),
            (f32::INFINITY, 64.0),
            (f32::NEG_INFINITY, -64.0),
            (f32::NAN, 0.0),
        ] {
            let bytes = [0.5, sample, 0.5].map(f32::to_le_bytes);
            let mut samples = Vec::new();
            SampleEncoding::Float32.read(bytes.as_flattened(), &mut samples);
            assert_eq!(samples, [0.5, read, 0.5]);
            assert_eq!(SampleEncoding::Float32.are_possible(bytes.as_flattened()), sample == read);
        }
    }
}
