//! Waveform levels.

use serde::{Deserialize, Serialize};

/// What a level measures in its share of the track.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// The largest absolute sample of any channel.
    #[default]
    Peak,
    /// The root of the mean of all channels' squared samples.
    Rms,
}

/// Waveform levels: linear amplitudes 0..=1, each of an equal share of the track.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Levels {
    /// The amplitudes, first to last.
    pub levels: Vec<f64>,
    /// The number of levels.
    pub num_samples: u32,
    /// What each level measures.
    pub metric: Metric,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Their mean.
    pub avg: f64,
    /// How many frames of the decoded audio one level covers.
    pub resample: f64,
}

impl Levels {
    /// Builds levels from amplitudes over `frames` frames of audio. Amplitudes are clamped to 0..=1 and rounded to four
    /// digits, which is finer than any drawn waveform.
    pub fn new(amplitudes: impl IntoIterator<Item = f64>, metric: Metric, frames: u64) -> Self {
        let levels: Vec<f64> = amplitudes.into_iter().map(|a| rounded(a.clamp(0.0, 1.0))).collect();
        let count = levels.len().max(1) as f64;
        Self {
            num_samples: u32::try_from(levels.len()).unwrap_or(u32::MAX),
            metric,
            min: levels.iter().copied().reduce(f64::min).unwrap_or(0.0),
            max: levels.iter().copied().reduce(f64::max).unwrap_or(0.0),
            avg: rounded(levels.iter().sum::<f64>() / count),
            resample: rounded(frames as f64 / count),
            levels,
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_know_their_bounds() {
        let levels = Levels::new([0.5, 1.2, 0.25], Metric::Peak, 300);
        assert_eq!((levels.min, levels.max, levels.num_samples), (0.25, 1.0, 3));
        assert_eq!(levels.resample, 100.0);
        let none = Levels::new([], Metric::Rms, 0);
        assert_eq!((none.min, none.max, none.avg), (0.0, 0.0, 0.0));
    }
}
