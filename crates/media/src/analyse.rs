//! One decode of the whole sound: its true length, its levels and its loudness.

use std::io::{ErrorKind, PipeReader, Read};

use ebur128::{EbuR128, Mode};
use tonearm_domain::{Levels, LevelsSettings};

use crate::{LevelMeter, MediaError, Probe};

/// What was measured of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Seconds: frames by sample rate. True, whatever the headers claim.
    pub duration: f64,
    /// Frames (samples of one channel), at least 1.
    pub frames: u64,
    /// Levels, in the order that was asked for.
    pub levels: Vec<Levels>,
    /// Integrated loudness in LUFS (EBU R128); `None` for silence, and for less than 0.4 s.
    pub loudness_lufs: Option<f64>,
    /// The highest true peak of any channel in dBTP; `None` for digital silence.
    pub true_peak_dbtp: Option<f64>,
}

/// Bytes read at once.
const CHUNK: usize = 64 * 1024;

/// Measures interleaved 32-bit floats, little-endian, as they come.
pub(crate) struct Analyser {
    meter: LevelMeter,
    loudness: EbuR128,
    rate: u32,
    channels: u32,
}

impl Analyser {
    pub(crate) fn new(probe: &Probe, levels: &[LevelsSettings]) -> Result<Self, MediaError> {
        let mode = Mode::I | Mode::TRUE_PEAK;
        let loudness = EbuR128::new(probe.channels, probe.sample_rate, mode).map_err(|error| {
            tracing::debug!(%error, "loudness cannot be measured");
            MediaError::Failed("The loudness of this sound cannot be measured.".to_owned())
        })?;
        Ok(Self {
            meter: LevelMeter::new(probe.channels, levels, probe.expected_frames),
            loudness,
            rate: probe.sample_rate,
            channels: probe.channels,
        })
    }

    /// Reads to the end. Holds one chunk at a time, however long the sound is.
    pub(crate) fn consume(mut self, mut stdout: PipeReader) -> Result<Analysis, MediaError> {
        let frame_bytes = self.channels as usize * size_of::<f32>();
        let mut bytes = vec![0; CHUNK.next_multiple_of(frame_bytes)];
        let mut samples = Vec::with_capacity(bytes.len() / size_of::<f32>());
        let mut filled = 0;
        loop {
            match stdout.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            let whole = filled - filled % frame_bytes;
            let (floats, _) = bytes[..whole].as_chunks();
            samples.clear();
            samples.extend(floats.iter().map(|float| tame(f32::from_le_bytes(*float))));
            self.add(&samples)?;
            bytes.copy_within(whole..filled, 0);
            filled -= whole;
        }
        self.finish()
    }

    fn add(&mut self, samples: &[f32]) -> Result<(), MediaError> {
        self.meter.add(samples);
        self.loudness.add_frames_f32(samples).map_err(|error| {
            tracing::debug!(%error, "loudness measuring stopped");
            MediaError::Failed("The loudness of this sound cannot be measured.".to_owned())
        })
    }

    fn finish(self) -> Result<Analysis, MediaError> {
        let frames = self.meter.frames();
        if frames == 0 {
            return Err(MediaError::silent_file());
        }
        let peaks = (0..self.channels).filter_map(|channel| self.loudness.true_peak(channel).ok());
        let decibels = 20.0 * peaks.fold(0.0, f64::max).log10();
        Ok(Analysis {
            duration: frames as f64 / f64::from(self.rate),
            frames,
            loudness_lufs: self.loudness.loudness_global().ok().filter(|lufs| lufs.is_finite()),
            true_peak_dbtp: Some(decibels).filter(|decibels| decibels.is_finite()),
            levels: self.meter.finish(),
        })
    }
}

/// Files of floats can hold what is no number; that would spoil every sum it enters.
fn tame(sample: f32) -> f32 {
    if sample.is_finite() { sample } else { 0.0 }
}
