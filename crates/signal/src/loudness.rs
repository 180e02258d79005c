//! Integrated loudness (EBU R128, ITU-R BS.1770): the perceived loudness of a whole sound.
//!
//! Every channel is filtered as a head and an ear would, and its power is measured over blocks of 0.4 s, ten times a
//! second. The loudness is the mean over all blocks that are not silent (-70 LUFS) and not 10 LU quieter than the rest.
//! Each filter has to wait for its own last result, so two channels are filtered side by side.

use std::f64::consts::PI;

use crate::channels::Layout;
use crate::vectors::{MultiplyAdd, Registers, Work};

/// The loudness that a block must exceed to count, in LUFS.
const SILENCE: f64 = -70.0;
/// How much quieter than the mean a block may be, as a factor: 10 LU.
const QUIETER: f64 = 0.1;
/// The offset that gives a full-scale sine of 997 Hz in one channel -3.01 LUFS.
const OFFSET: f64 = -0.691;
/// Steps in a block.
const STEPS: usize = 4;
/// The lowest rate for which the filters exist, in Hz: twice the frequency of the shelf.
const LOWEST_RATE: u32 = 3_364;
/// Filter memory below this value counts as silence. Computing with even smaller numbers becomes slow.
const FORGOTTEN: f64 = 1e-60;

/// Measures interleaved samples as a stream, in 8 bytes for every 0.1 s.
#[derive(Debug)]
pub struct LoudnessMeter {
    weighing: Weighing,
    gate: Gate,
    /// Frames of a step, and frames received of the current one.
    step: usize,
    filled: usize,
    /// Weighted power of the current step.
    power: f64,
}

/// Applies the frequency weighting of the standard to sound and sums its power.
#[derive(Debug)]
pub struct Weighing {
    filter: Filter,
    channels: usize,
    pairs: Vec<Pair>,
    registers: Registers,
}

/// Excludes parts from the mean that are silent or much quieter than the rest (ITU-R BS.1770-5, annex 1).
#[derive(Debug, Default)]
pub struct Gate {
    /// Mean power of the last steps, the current one first.
    powers: [f64; STEPS],
    steps: u64,
    /// Mean power of every block that is not silent.
    blocks: Vec<f64>,
}

/// Frames whose power is requested.
struct Run<'a> {
    with: &'a mut Weighing,
    frames: &'a [f32],
}

impl Work for Run<'_> {
    type Outcome = f64;

    #[inline(always)]
    fn run<const FUSED: bool>(self) -> f64 {
        self.with.squares::<FUSED>(self.frames)
    }
}

/// Two channels that are filtered side by side.
#[derive(Debug)]
struct Pair {
    channels: [usize; 2],
    weights: [f64; 2],
    memory: [[f64; 2]; 4],
}

/// The two stages in series. The constant factor of the first is in `gain`, for powers.
#[derive(Debug, Clone, Copy)]
struct Filter {
    /// The feedforward coefficients of the shelf.
    shelf: [f64; 2],
    shelf_back: [f64; 2],
    /// The high-pass, whose feedforward coefficients are 1, -2, 1.
    pass_back: [f64; 2],
    gain: f64,
}

impl Filter {
    /// Derived by the bilinear transform from the analogue filters behind the standard's coefficients for 48 kHz.
    fn new(rate: u32) -> Self {
        let tangent = |hertz: f64| (PI * hertz / f64::from(rate)).tan();
        let (k, q) = (tangent(1_681.974_450_955_533), 0.707_175_236_955_419_6);
        let high = 10_f64.powf(3.999_843_853_973_347 / 20.0);
        let middle = high.powf(0.499_666_774_154_541_6);
        let whole = 1.0 + k / q + k * k;
        let first = (high + middle * k / q + k * k) / whole;
        let shelf = [2.0 * (k * k - high), high - middle * k / q + k * k];
        let back = |k: f64, q: f64| {
            let whole = 1.0 + k / q + k * k;
            [2.0 * (k * k - 1.0) / whole, (1.0 - k / q + k * k) / whole]
        };
        Self {
            shelf: shelf.map(|part| part / whole / first),
            shelf_back: back(k, q),
            pass_back: back(tangent(38.135_470_876_024_44), 0.500_327_037_323_877_3),
            gain: first * first,
        }
    }

    /// Filters frames of two channels and sums the squares of the output.
    #[inline(always)]
    fn squares<const FUSED: bool>(
        &self,
        memory: &mut [[f64; 2]; 4],
        frames: impl Iterator<Item = [f32; 2]>,
    ) -> [f64; 2] {
        let mut sums = [0.0; 2];
        let [mut s1, mut s2, mut p1, mut p2] = *memory;
        for frame in frames {
            for side in 0..2 {
                // Terms that are known early come first, so that the next frame waits for only one product and one sum.
                let early = s2[side].times_plus::<FUSED>(-self.shelf_back[1], f64::from(frame[side]));
                let s0 = s1[side].times_plus::<FUSED>(-self.shelf_back[0], early);
                let early = s2[side].times_plus::<FUSED>(self.shelf[1], s0);
                let shelved = s1[side].times_plus::<FUSED>(self.shelf[0], early);
                let early = p2[side].times_plus::<FUSED>(-self.pass_back[1], shelved);
                let p0 = p1[side].times_plus::<FUSED>(-self.pass_back[0], early);
                let passed = p1[side].times_plus::<FUSED>(-2.0, p0 + p2[side]);
                sums[side] = passed.times_plus::<FUSED>(passed, sums[side]);
                (s2[side], s1[side], p2[side], p1[side]) = (s1[side], s0, p1[side], p0);
            }
        }
        *memory = [s1, s2, p1, p2];
        sums
    }
}

impl Weighing {
    /// For sound with this layout and this sample rate in Hz. Below 3,364 Hz nothing has power.
    pub fn new(layout: &Layout, rate: u32) -> Self {
        let weights = layout.weights();
        let channels = weights.len();
        let is_counted = |channel: &usize| weights[*channel] > 0.0 && rate >= LOWEST_RATE;
        let counting: Vec<usize> = (0..channels).filter(is_counted).collect();
        let pair = |two: &[usize]| Pair {
            channels: [two[0], two[two.len() - 1]],
            weights: [weights[two[0]], if two.len() == 2 { weights[two[1]] } else { 0.0 }],
            memory: Default::default(),
        };
        Self {
            filter: Filter::new(rate),
            channels,
            pairs: counting.chunks(2).map(pair).collect(),
            registers: Registers::find(),
        }
    }

    /// The weighted power of the next whole frames: their squares, summed.
    pub fn power(&mut self, frames: &[f32]) -> f64 {
        self.registers.run(Run { with: self, frames }) * self.filter.gain
    }

    #[inline(always)]
    fn squares<const FUSED: bool>(&mut self, run: &[f32]) -> f64 {
        let mut power = 0.0;
        for Pair { channels: [left, right], weights, memory } in &mut self.pairs {
            let sums = if self.channels == 2 {
                self.filter.squares::<FUSED>(memory, run.as_chunks().0.iter().copied())
            } else {
                let frames = run.chunks_exact(self.channels).map(|frame| [frame[*left], frame[*right]]);
                self.filter.squares::<FUSED>(memory, frames)
            };
            power += weights[0] * sums[0] + weights[1] * sums[1];
        }
        power
    }

    /// Clears the filters' memory of sound that has faded away. To be called occasionally.
    pub fn forget(&mut self) {
        for number in self.pairs.iter_mut().flat_map(|pair| &mut pair.memory).flatten() {
            if number.abs() < FORGOTTEN {
                *number = 0.0;
            }
        }
    }
}

impl Gate {
    /// Takes the mean power of the next 0.1 s, which ends a block of four.
    pub fn add(&mut self, power: f64) {
        self.powers.rotate_right(1);
        self.powers[0] = power;
        self.steps += 1;
        if self.steps >= STEPS as u64 {
            let power = self.powers.iter().sum::<f64>() / STEPS as f64;
            if power >= 10_f64.powf((SILENCE - OFFSET) / 10.0) {
                self.blocks.push(power);
            }
        }
    }

    /// In LUFS; `None` if no block was above silence.
    pub fn integrated(&self) -> Option<f64> {
        let mean = |least: f64| {
            let loud = || self.blocks.iter().filter(|power| **power >= least);
            loud().sum::<f64>() / loud().count() as f64
        };
        let lufs = OFFSET + 10.0 * mean(QUIETER * mean(0.0)).log10();
        lufs.is_finite().then_some(lufs)
    }
}

impl LoudnessMeter {
    /// For sound with this layout and this sample rate in Hz.
    pub fn new(layout: &Layout, rate: u32) -> Self {
        Self {
            weighing: Weighing::new(layout, rate),
            gate: Gate::default(),
            step: ((rate as usize + 5) / 10).max(1),
            filled: 0,
            power: 0.0,
        }
    }

    /// Takes the next whole frames.
    pub fn add(&mut self, mut samples: &[f32]) {
        let channels = self.weighing.channels;
        while !samples.is_empty() {
            let missing = (self.step - self.filled).saturating_mul(channels);
            let (run, rest) = samples.split_at(samples.len().min(missing));
            self.power += self.weighing.power(run);
            self.filled += run.len() / channels;
            samples = rest;
            if self.filled == self.step {
                self.gate.add(std::mem::take(&mut self.power) / self.step as f64);
                self.filled = 0;
                self.weighing.forget();
            }
        }
    }

    /// In LUFS; `None` if no block was above silence.
    pub fn integrated(&self) -> Option<f64> {
        self.gate.integrated()
    }
}

#[cfg(test)]
mod tests {
    use ebur128::{Channel, EbuR128, Mode};
    use proptest::prelude::*;

    use super::*;

    fn reference(samples: &[f32], channels: u32, rate: u32, map: Option<&[Channel]>) -> Option<f64> {
        let mut meter = EbuR128::new(channels, rate, Mode::I).unwrap();
        if let Some(map) = map {
            meter.set_channel_map(map).unwrap();
        }
        meter.add_frames_f32(samples).unwrap();
        meter.loudness_global().ok().filter(|lufs| lufs.is_finite())
    }

    /// Noise that swells and fades, silent for a while, in chunks of this many frames.
    fn measured(meter: &mut LoudnessMeter, seed: u32, frames: usize, chunk: usize) -> Vec<f32> {
        let mut state = seed;
        let channels = meter.weighing.channels;
        let samples: Vec<f32> = (0..frames * channels)
            .map(|place| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let share = place as f32 / (frames * channels) as f32;
                let loud = if (0.4..0.6).contains(&share) { 0.0 } else { share * share };
                ((state >> 8) as f32 / (1 << 23) as f32 - 1.0) * loud
            })
            .collect();
        samples.chunks(chunk * channels).for_each(|part| meter.add(part));
        samples
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        fn it_is_what_the_plain_way_measures(
            seed in any::<u32>(),
            frames in 0..60_000_usize,
            channels in prop::sample::select(vec![1_u32, 2, 5, 6]),
            rate in prop::sample::select(vec![8_000_u32, 11_025, 44_100, 48_000, 192_000]),
            chunk in 1..20_000_usize,
            is_wide: bool,
        ) {
            let mut own = LoudnessMeter::new(&Layout::new(channels, None), rate);
            own.weighing.registers = if is_wide { own.weighing.registers } else { Registers::Any };
            let samples = measured(&mut own, seed, frames, chunk);
            match (own.integrated(), reference(&samples, channels, rate, None)) {
                (Some(own), Some(expected)) => prop_assert!((own - expected).abs() < 1e-6, "{own} {expected}"),
                (own, expected) => prop_assert_eq!(own, expected),
            }
        }
    }

    #[test]
    fn low_effects_do_not_count_and_the_sides_count_more() {
        use Channel::{Center, Left, LeftSurround, Mm090, Mm135, Mp090, Mp135, Right, RightSurround, Unused};
        for (layout, channels, map) in [
            (Some("2.1"), 3, &[Left, Right, Unused][..]),
            (None, 3, &[Left, Right, Unused]),
            (Some("3.0"), 3, &[Left, Right, Center]),
            (Some("quad"), 4, &[Left, Right, LeftSurround, RightSurround]),
            (Some("5.1(side)"), 6, &[Left, Right, Center, Unused, LeftSurround, RightSurround]),
            (Some("7.1"), 8, &[Left, Right, Center, Unused, Mp135, Mm135, Mp090, Mm090]),
        ] {
            let mut own = LoudnessMeter::new(&Layout::new(channels, layout), 8_000);
            let samples = measured(&mut own, 1, 16_000, 1_000);
            let expected = reference(&samples, channels, 8_000, Some(map)).unwrap();
            let found = own.integrated().unwrap();
            assert!((found - expected).abs() < 1e-6, "{layout:?} {found} {expected}");
        }
    }

    /// Tones of 1 kHz, each with a level in dBFS for every channel, and for so many seconds.
    fn loudness_of(layout: &Layout, tones: &[(&[f64], f64)]) -> f64 {
        let mut meter = LoudnessMeter::new(layout, 48_000);
        for (levels, seconds) in tones {
            let amplitudes: Vec<f64> = levels.iter().map(|level| 10_f64.powf(level / 20.0)).collect();
            let frames = (seconds * 48_000.0).round() as u32;
            let samples: Vec<f32> = (0..frames)
                .flat_map(|frame| {
                    let wave = (std::f64::consts::TAU * f64::from(frame) / 48.0).sin();
                    amplitudes.iter().map(move |amplitude| (amplitude * wave) as f32).collect::<Vec<_>>()
                })
                .collect();
            meter.add(&samples);
        }
        meter.integrated().unwrap()
    }

    /// EBU Tech 3341, table 1, cases 1 to 6.
    #[test]
    fn it_passes_the_minimum_requirements_of_the_ebu() {
        let both = |level: f64| [level, level];
        let [a, b, c, d, e, f] = [-72.0, -36.0, -33.0, -26.0, -23.0, -20.0].map(both);
        let stereo = Layout::new(2, None);
        for (case, (tones, expected)) in [
            (vec![(e, 20.0)], -23.0),
            (vec![(c, 20.0)], -33.0),
            (vec![(b, 10.0), (e, 60.0), (b, 10.0)], -23.0),
            (vec![(a, 10.0), (b, 10.0), (e, 60.0), (b, 10.0), (a, 10.0)], -23.0),
            (vec![(d, 20.0), (f, 20.1), (d, 20.0)], -23.0),
        ]
        .into_iter()
        .enumerate()
        {
            let tones: Vec<(&[f64], f64)> =
                tones.iter().map(|(levels, seconds)| (levels.as_slice(), *seconds)).collect();
            let found = loudness_of(&stereo, &tones);
            assert!((found - expected).abs() <= 0.1, "case {}: {found} LUFS", case + 1);
        }
        let found =
            loudness_of(&Layout::new(5, Some("5.0(side)")), &[(&[-28.0, -28.0, -24.0, -30.0, -30.0], 20.0)]);
        assert!((found + 23.0).abs() <= 0.1, "case 6: {found} LUFS");
    }

    #[test]
    fn where_the_filters_do_not_exist_nothing_is_measured() {
        for rate in [1, 100, 1_000, 3_363, 3_364, 4_000] {
            let mut own = LoudnessMeter::new(&Layout::new(2, None), rate);
            measured(&mut own, 1, 5 * rate as usize, 1_000);
            assert_eq!(own.integrated().is_some(), rate >= 3_364, "{rate}");
            assert!(own.integrated().is_none_or(|lufs| lufs < 0.0), "{rate} {:?}", own.integrated());
        }
    }

    #[test]
    fn any_number_of_channels_is_measured() {
        for channels in [1, 9, 16, 64] {
            let mut own = LoudnessMeter::new(&Layout::new(channels, None), 8_000);
            own.add(&vec![0.25; 8_000 * channels as usize]);
            own.add(&[]);
            assert!(own.integrated().is_some(), "{channels}");
        }
    }
}
