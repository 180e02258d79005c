//! Waveform levels from a stream of samples, in bounded memory.

use tonearm_domain::{Levels, LevelsSettings, Metric};

use crate::true_peak::highest;

/// Measures levels of interleaved samples as a stream, for any number of settings at once.
///
/// Level `i` of `N` over `n` frames covers the frames from `i·n/N` up to `(i+1)·n/N`, rounded down. During the stream,
/// `n` is not known for certain, so two things are kept:
///
/// - levels for the `n` that the headers declare. They are exact, and they are used if the declaration is right;
/// - up to 2¹⁹ blocks of equally many frames. When they are all used, they are merged in pairs, which doubles their
///   length. They are used if the declaration is wrong: exact up to 2¹⁹ frames, and beyond that with boundaries off by
///   at most half a block, which is at most two millionths of the track.
///
/// The blocks take at most 2 MiB, or 6 MiB with squares, and each level takes 16 bytes.
#[derive(Debug)]
pub struct LevelMeter {
    channels: usize,
    frames: u64,
    settings: Vec<LevelsSettings>,
    expected: Option<u64>,
    claimed: Vec<Claimed>,
    /// Whether any level needs squares.
    squares: bool,
    blocks: Blocks,
}

/// The most blocks before they are merged in pairs.
const MOST_BLOCKS: usize = 1 << 19;

/// The peak and the sum of squares of a run of frames.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Cell {
    peak: f32,
    squares: f64,
}

impl Cell {
    /// The cell of these samples, with squares only if requested.
    fn of(samples: &[f32], squares: bool) -> Self {
        Self { peak: highest(samples), squares: if squares { sum_of_squares(samples) } else { 0.0 } }
    }

    fn and(self, other: Self) -> Self {
        Self { peak: self.peak.max(other.peak), squares: self.squares + other.squares }
    }

    /// The amplitude over `samples` samples.
    fn amplitude(self, metric: Metric, samples: f64) -> f64 {
        match metric {
            Metric::Peak => f64::from(self.peak),
            Metric::Rms => (self.squares / samples.max(1.0)).sqrt(),
        }
    }
}

/// Sums in four lanes, because a single sum would have to wait for each addition.
fn sum_of_squares(samples: &[f32]) -> f64 {
    let (fours, rest) = samples.as_chunks::<4>();
    let mut lanes = [0.0_f64; 4];
    for four in fours {
        for (lane, sample) in lanes.iter_mut().zip(four) {
            *lane += f64::from(*sample) * f64::from(*sample);
        }
    }
    lanes.iter().sum::<f64>() + rest.iter().map(|sample| f64::from(*sample).powi(2)).sum::<f64>()
}

/// The frame where level `index` of `count` begins.
fn boundary(index: u32, count: u32, frames: u64) -> u64 {
    let position = u128::from(index) * u128::from(frames) / u128::from(count.max(1));
    u64::try_from(position).unwrap_or(u64::MAX)
}

impl LevelMeter {
    /// For sound with `channels` channels whose headers declare `expected_frames` frames.
    pub fn new(channels: u32, settings: &[LevelsSettings], expected_frames: Option<u64>) -> Self {
        // If the blocks are exact anyway, a declared length adds nothing.
        let expected = expected_frames.filter(|frames| *frames > MOST_BLOCKS as u64);
        let squares = settings.iter().any(|settings| settings.metric == Metric::Rms);
        Self {
            channels: channels.max(1) as usize,
            frames: 0,
            settings: settings.to_vec(),
            expected,
            claimed: expected
                .iter()
                .flat_map(|frames| settings.iter().map(|s| Claimed::new(s.num_samples, *frames)))
                .collect(),
            squares,
            blocks: Blocks::new(MOST_BLOCKS, squares),
        }
    }

    /// Takes the next whole frames.
    pub fn add(&mut self, samples: &[f32]) {
        if self.settings.is_empty() {
            self.frames += (samples.len() / self.channels) as u64;
            return;
        }
        for claimed in &mut self.claimed {
            claimed.add(samples, self.channels, self.squares);
        }
        self.blocks.add(samples, self.channels);
        self.frames += (samples.len() / self.channels) as u64;
    }

    /// The number of frames so far.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The levels, in the order of the settings. If there are fewer frames than levels, levels repeat; if there are
    /// none, all levels are 0.
    pub fn finish(self) -> Vec<Levels> {
        let is_as_claimed = self.expected == Some(self.frames);
        let samples = |frames: u64| frames as f64 * self.channels as f64;
        self.settings
            .iter()
            .enumerate()
            .map(|(place, settings)| {
                let amplitudes = (0..settings.num_samples).map(|index| {
                    let (cell, frames) = if is_as_claimed {
                        self.claimed[place].level(index)
                    } else {
                        self.blocks.level(index, settings.num_samples, self.frames)
                    };
                    cell.amplitude(settings.metric, samples(frames))
                });
                Levels::new(amplitudes, settings.metric, self.frames)
            })
            .collect()
    }
}

/// Levels under the assumption that the number of frames is known, and larger than that of levels.
#[derive(Debug)]
struct Claimed {
    frames: u64,
    cells: Vec<Cell>,
    current: u32,
    position: u64,
}

impl Claimed {
    fn new(count: u32, frames: u64) -> Self {
        Self { frames, cells: vec![Cell::default(); count as usize], current: 0, position: 0 }
    }

    fn count(&self) -> u32 {
        u32::try_from(self.cells.len()).unwrap_or(u32::MAX)
    }

    fn add(&mut self, mut samples: &[f32], channels: usize, squares: bool) {
        while !samples.is_empty() && self.position < self.frames {
            let end = boundary(self.current + 1, self.count(), self.frames);
            let missing = usize::try_from(end - self.position).unwrap_or(usize::MAX);
            let (run, rest) = samples.split_at(samples.len().min(missing.saturating_mul(channels)));
            let cell = &mut self.cells[self.current as usize];
            *cell = cell.and(Cell::of(run, squares));
            self.position += (run.len() / channels) as u64;
            if self.position == end {
                self.current += 1;
            }
            samples = rest;
        }
    }

    fn level(&self, index: u32) -> (Cell, u64) {
        let frames =
            boundary(index + 1, self.count(), self.frames) - boundary(index, self.count(), self.frames);
        (self.cells[index as usize], frames)
    }
}

/// A sound of unknown length in a bounded number of equal blocks.
#[derive(Debug)]
struct Blocks {
    most: usize,
    /// Frames of a block.
    length: u64,
    /// The peak of every full block.
    peaks: Vec<f32>,
    /// The sum of squares of every full block; empty if not requested.
    squares: Vec<f64>,
    has_squares: bool,
    /// The block that is being filled, and its number of frames.
    filling: (Cell, u64),
}

impl Blocks {
    fn new(most: usize, has_squares: bool) -> Self {
        let (peaks, squares) = (Vec::new(), Vec::new());
        Self { most, length: 1, peaks, squares, has_squares, filling: (Cell::default(), 0) }
    }

    fn add(&mut self, mut samples: &[f32], channels: usize) {
        while !samples.is_empty() {
            let missing = usize::try_from(self.length - self.filling.1).unwrap_or(usize::MAX);
            let (run, rest) = samples.split_at(samples.len().min(missing.saturating_mul(channels)));
            self.filling.0 = self.filling.0.and(Cell::of(run, self.has_squares));
            self.filling.1 += (run.len() / channels) as u64;
            samples = rest;
            if self.filling.1 == self.length {
                if self.peaks.len() == self.most {
                    self.merge();
                }
                self.close();
            }
        }
    }

    fn close(&mut self) {
        // After a merge the block may be only half full, and stays open.
        if self.filling.1 == self.length {
            let Cell { peak, squares } = std::mem::take(&mut self.filling).0;
            self.peaks.push(peak);
            if self.has_squares {
                self.squares.push(squares);
            }
        }
    }

    fn merge(&mut self) {
        halve(&mut self.peaks, f32::max);
        halve(&mut self.squares, |first, second| first + second);
        self.length *= 2;
    }

    /// The position of a boundary, in blocks.
    fn nearest(&self, frame: u64, frames: u64) -> usize {
        let all = self.peaks.len() + usize::from(self.filling.1 > 0);
        let block = if frame == frames { all as u64 } else { (frame + self.length / 2) / self.length };
        usize::try_from(block).map_or(all, |block| block.min(all))
    }

    /// A level and the number of frames in it.
    fn level(&self, index: u32, count: u32, frames: u64) -> (Cell, u64) {
        if frames == 0 {
            return (Cell::default(), 0);
        }
        let all = self.peaks.len() + usize::from(self.filling.1 > 0);
        let from = self.nearest(boundary(index, count, frames), frames).min(all - 1);
        let to = self.nearest(boundary(index + 1, count, frames), frames).max(from + 1);
        let full = from.min(self.peaks.len())..to.min(self.peaks.len());
        let mut contained = full.len() as u64 * self.length;
        let peak = self.peaks[full.clone()].iter().copied().fold(0.0, f32::max);
        let squares = self.squares.get(full).unwrap_or_default().iter().sum();
        let mut cell = Cell { peak, squares };
        if to > self.peaks.len() {
            cell = cell.and(self.filling.0);
            contained += self.filling.1;
        }
        (cell, contained)
    }
}

/// Joins values in pairs, in place; the last one may be left without a partner.
fn halve<T: Copy>(values: &mut Vec<T>, join: impl Fn(T, T) -> T) {
    let count = values.len().div_ceil(2);
    for place in 0..count {
        let first = values[2 * place];
        values[place] = values.get(2 * place + 1).map_or(first, |second| join(first, *second));
    }
    values.truncate(count);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Levels computed directly by the definition, from all samples at once.
    fn plain(samples: &[f32], channels: usize, settings: &LevelsSettings) -> Levels {
        let frames = samples.len() / channels;
        let count = settings.num_samples as usize;
        let amplitudes = (0..count).map(|i| {
            let from = i * frames / count;
            let to = ((i + 1) * frames / count).max(from + 1);
            let part = &samples[from * channels..to * channels];
            match settings.metric {
                Metric::Peak => part.iter().fold(0.0, |peak: f64, s| peak.max(f64::from(s.abs()))),
                Metric::Rms => {
                    let squares: f64 = part.iter().map(|s| f64::from(*s) * f64::from(*s)).sum();
                    (squares / part.len() as f64).sqrt()
                }
            }
        });
        Levels::new(amplitudes, settings.metric, frames as u64)
    }

    fn noise(samples: usize) -> Vec<f32> {
        let mut state = 1_u32;
        let next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        std::iter::repeat_with(next).take(samples).collect()
    }

    #[test]
    fn a_true_claim_makes_long_sound_exact() {
        let samples = noise(2 * (MOST_BLOCKS + 12_345));
        let settings =
            [Metric::Peak, Metric::Rms].map(|metric| LevelsSettings { metric, ..LevelsSettings::default() });
        let mut meter = LevelMeter::new(2, &settings, Some(samples.len() as u64 / 2));
        samples.chunks(10_000).for_each(|chunk| meter.add(chunk));
        let found = meter.finish();
        for (settings, levels) in settings.iter().zip(found) {
            assert_eq!(levels, plain(&samples, 2, settings));
        }
    }

    #[test]
    fn a_false_claim_costs_next_to_nothing() {
        let ramp: Vec<f32> = (0..2_500_000).map(|n| n as f32 / 2_500_000.0).collect();
        let settings = LevelsSettings::default();
        for claim in [None, Some(2_000_000), Some(3_000_000), Some(u64::MAX)] {
            let mut meter = LevelMeter::new(1, std::slice::from_ref(&settings), claim);
            ramp.chunks(4_096).for_each(|chunk| meter.add(chunk));
            let found = meter.finish().remove(0);
            let exact = plain(&ramp, 1, &settings);
            let off = found.levels.iter().zip(&exact.levels).map(|(a, b)| (a - b).abs());
            assert!(off.reduce(f64::max).unwrap() < 0.000_15);
        }
    }

    #[test]
    fn nothing_is_silence() {
        let levels = LevelMeter::new(2, &[LevelsSettings::default()], None).finish();
        assert_eq!(levels[0].levels, vec![0.0; 320]);
    }

    proptest! {
        #[test]
        fn short_sound_is_exact_whatever_its_length(
            frames in 1..3_000usize,
            channels in 1..4usize,
            num_samples in 1..5_000u32,
            chunk in 1..700usize,
            is_rms: bool,
        ) {
            let metric = if is_rms { Metric::Rms } else { Metric::Peak };
            let settings = LevelsSettings { num_samples, metric, ..LevelsSettings::default() };
            let samples = noise(frames * channels);
            let mut meter = LevelMeter::new(channels as u32, std::slice::from_ref(&settings), None);
            samples.chunks(chunk * channels).for_each(|chunk| meter.add(chunk));
            let found = meter.finish().remove(0);
            let exact = plain(&samples, channels, &settings);
            prop_assert_eq!(found.num_samples, exact.num_samples);
            for (a, b) in found.levels.iter().zip(&exact.levels) {
                prop_assert!((a - b).abs() < 0.000_15);
            }
        }

        #[test]
        fn blocks_lose_no_frame(frames in 1..5_000usize, most in 1..64usize, has_squares: bool) {
            let samples = noise(frames);
            let mut blocks = Blocks::new(most * 2, has_squares);
            samples.chunks(333).for_each(|chunk| blocks.add(chunk, 1));
            let (cell, contained) = blocks.level(0, 1, frames as u64);
            let whole = Cell::of(&samples, has_squares);
            prop_assert_eq!((contained, cell.peak), (frames as u64, whole.peak));
            prop_assert!((cell.squares - whole.squares).abs() < 1e-6);
            prop_assert!(blocks.peaks.len() <= most * 2);
            prop_assert_eq!(blocks.squares.len(), if has_squares { blocks.peaks.len() } else { 0 });
        }
    }
}
