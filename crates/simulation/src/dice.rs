//! Random numbers that are the same in every run with the same seed.

use std::time::Duration;

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// Streams with different names are independent of each other.
    pub(crate) fn new(seed: u64, name: u64) -> Self {
        let mut dice = Self(seed ^ name.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        dice.next();
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`, which must not be 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    /// A number above 0 and at most 1.
    fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1_u64 << 53) as f64
    }

    /// A duration of at most `most`.
    pub(crate) fn up_to(&mut self, most: Duration) -> Duration {
        most.mul_f64(self.share())
    }

    /// The time between two events that happen `per_second` times a second on average, independently of each other. It
    /// can be used for any other exponentially distributed time with a mean of `1 / per_second` seconds.
    pub(crate) fn pause(&mut self, per_second: f64) -> Duration {
        Duration::from_secs_f64((-self.share().ln() / per_second).min(86_400.0))
    }
}
