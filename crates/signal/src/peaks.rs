//! Peaks in the formats of the BBC's audiowaveform, version 2, which many waveform widgets read.
//!
//! A point holds the lowest and the highest sample of `samples_per_pixel` frames, as integers of 8 or 16 bits. Unless
//! channels are split, a sample is the mean of all channels. The formats are described in `doc/DataFormat.md` of
//! <https://github.com/bbc/audiowaveform>.

use std::fmt::Write;

use tonearm_domain::{LevelsFormat, LevelsSettings};

/// The most points before they are merged in pairs: an hour at 44.1 kHz and 256 samples a point takes a thirteenth of
/// it.
const MOST_POINTS: usize = 1 << 23;

/// The lowest and the highest sample of a run of frames.
type Point = (i16, i16);
const EMPTY: Point = (i16::MAX, i16::MIN);

/// Peaks of a whole sound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peaks {
    format: LevelsFormat,
    bits: u8,
    sample_rate: u32,
    samples_per_pixel: u32,
    channels: usize,
    /// The points of each moment side by side, one for each channel.
    points: Vec<Point>,
}

/// Measures peaks of interleaved samples as a stream.
#[derive(Debug)]
pub struct PeaksMeter {
    peaks: Peaks,
    /// Channels of the sound.
    incoming: usize,
    filling: Vec<Point>,
    filled: u32,
    most: usize,
}

impl PeaksMeter {
    pub fn new(settings: &LevelsSettings, channels: u32, sample_rate: u32) -> Self {
        let incoming = channels.max(1) as usize;
        let channels = if settings.is_split_channels { incoming } else { 1 };
        let peaks = Peaks {
            format: settings.format,
            bits: settings.bits,
            sample_rate,
            samples_per_pixel: settings.samples_per_pixel.max(1),
            channels,
            points: Vec::new(),
        };
        let most = (MOST_POINTS / channels).next_multiple_of(2) * channels;
        Self { peaks, incoming, filling: vec![EMPTY; channels], filled: 0, most }
    }

    /// Takes the next whole frames.
    pub fn add(&mut self, samples: &[f32]) {
        for frame in samples.chunks_exact(self.incoming) {
            if self.peaks.channels == 1 {
                // Integers, truncated, as audiowaveform computes.
                let sum: i32 = frame.iter().map(|sample| i32::from(whole(*sample))).sum();
                widen(&mut self.filling[0], (sum / frame.len() as i32) as i16);
            } else {
                for (point, sample) in self.filling.iter_mut().zip(frame) {
                    widen(point, whole(*sample));
                }
            }
            self.filled += 1;
            if self.filled == self.peaks.samples_per_pixel {
                self.close();
            }
        }
    }

    fn close(&mut self) {
        self.filled = 0;
        self.peaks.points.append(&mut self.filling);
        self.filling.resize(self.peaks.channels, EMPTY);
        if self.peaks.points.len() >= self.most {
            self.peaks.merge();
        }
    }

    /// An incomplete point at the end counts too.
    pub fn finish(mut self) -> Peaks {
        if self.filled > 0 {
            self.close();
        }
        self.peaks
    }
}

fn widen(point: &mut Point, sample: i16) {
    *point = (point.0.min(sample), point.1.max(sample));
}

/// A sample as a 16-bit number: exactly the number that a 16-bit file holds.
fn whole(sample: f32) -> i16 {
    (sample * 32_768.0).round().clamp(-32_768.0, 32_767.0) as i16
}

impl Peaks {
    /// Halves the number of points; each covers twice as many samples.
    fn merge(&mut self) {
        let channels = self.channels;
        let merged = self.points.chunks(2 * channels).flat_map(|pair| {
            (0..channels).map(move |channel| {
                let of_channel = pair.iter().skip(channel).step_by(channels);
                of_channel.fold(EMPTY, |all, point| (all.0.min(point.0), all.1.max(point.1)))
            })
        });
        self.points = merged.collect();
        self.samples_per_pixel = self.samples_per_pixel.saturating_mul(2);
    }

    /// The number of points of one channel.
    pub fn length(&self) -> usize {
        self.points.len() / self.channels
    }

    /// The file, in the requested format.
    pub fn file(&self) -> Vec<u8> {
        match self.format {
            LevelsFormat::AudiowaveformDat => self.dat(),
            LevelsFormat::AudiowaveformJson | LevelsFormat::Levels => self.json().into_bytes(),
        }
    }

    /// Every number in order: lowest, highest, channel by channel, point by point.
    fn numbers(&self) -> impl Iterator<Item = i16> {
        let is_short = self.bits == 8;
        let fit = move |number: i16| if is_short { number / 256 } else { number };
        self.points.iter().flat_map(move |(low, high)| [fit(*low), fit(*high)])
    }

    fn json(&self) -> String {
        let mut json = format!(
            r#"{{"version":2,"channels":{},"sample_rate":{},"samples_per_pixel":{},"bits":{},"length":{},"data":["#,
            self.channels,
            self.sample_rate,
            self.samples_per_pixel,
            self.bits,
            self.length()
        );
        for (place, number) in self.numbers().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            // Writing to a string cannot fail.
            let _ = write!(json, "{comma}{number}");
        }
        json.push_str("]}");
        json
    }

    fn dat(&self) -> Vec<u8> {
        let flags = u32::from(self.bits == 8);
        let length = u32::try_from(self.length()).unwrap_or(u32::MAX);
        let channels = u32::try_from(self.channels).unwrap_or(u32::MAX);
        let header = [2, flags, self.sample_rate, self.samples_per_pixel, length, channels];
        let mut bytes: Vec<u8> = header.into_iter().flat_map(u32::to_le_bytes).collect();
        for number in self.numbers() {
            let [low, high] = number.to_le_bytes();
            bytes.push(low);
            if self.bits != 8 {
                bytes.push(high);
            }
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settings(samples_per_pixel: u32, bits: u8, is_split_channels: bool) -> LevelsSettings {
        LevelsSettings {
            samples_per_pixel,
            bits,
            is_split_channels,
            format: LevelsFormat::AudiowaveformJson,
            ..LevelsSettings::default()
        }
    }

    fn peaks(settings: &LevelsSettings, channels: u32, samples: &[i16]) -> Peaks {
        let mut meter = PeaksMeter::new(settings, channels, 44_100);
        let floats: Vec<f32> = samples.iter().map(|sample| f32::from(*sample) / 32_768.0).collect();
        floats.chunks(10 * channels as usize).for_each(|chunk| meter.add(chunk));
        meter.finish()
    }

    #[test]
    fn both_formats_say_the_same() {
        let samples = [100, -300, 500, -700, 32_767, -32_768, 256, 512];
        let found = peaks(&settings(2, 16, true), 2, &samples);
        assert_eq!(
            found.json(),
            r#"{"version":2,"channels":2,"sample_rate":44100,"samples_per_pixel":2,"bits":16,"length":2,"data":[100,500,-700,-300,256,32767,-32768,512]}"#
        );
        let dat = found.dat();
        assert_eq!(dat[..24], [2_u32, 0, 44_100, 2, 2, 2].map(u32::to_le_bytes).concat());
        assert_eq!(dat[24..28], [100, 0, 244, 1]);
        assert_eq!(dat.len(), 24 + 2 * 2 * 2 * 2);
        // The mean of both channels, in one byte each.
        let found = peaks(&settings(2, 8, false), 2, &samples);
        assert!(found.json().ends_with(r#""bits":8,"length":2,"data":[0,0,0,1]}"#), "{}", found.json());
        assert_eq!(found.dat()[24..], [0, 0, 0, 1]);
        assert_eq!(found.dat()[4], 1);
    }

    proptest! {
        #[test]
        fn points_are_those_of_the_definition(
            samples in prop::collection::vec(any::<i16>(), 1..400),
            samples_per_pixel in 1..50_u32,
        ) {
            let found = peaks(&settings(samples_per_pixel, 16, false), 1, &samples);
            let expected: Vec<Point> = samples
                .chunks(samples_per_pixel as usize)
                .map(|part| (*part.iter().min().unwrap(), *part.iter().max().unwrap()))
                .collect();
            prop_assert_eq!(found.points, expected);
        }

        #[test]
        fn merging_keeps_the_outline(samples in prop::collection::vec(any::<i16>(), 1..400)) {
            let mut found = peaks(&settings(3, 16, true), 2, &samples[..samples.len() / 2 * 2]);
            found.merge();
            let direct = peaks(&settings(6, 16, true), 2, &samples[..samples.len() / 2 * 2]);
            prop_assert_eq!(found, direct);
        }
    }
}
