//! One decode of the whole sound: its true length, its levels and its loudness.

use std::io::{ErrorKind, PipeReader, Read};
use std::sync::mpsc;

use ebur128::{EbuR128, Mode};
use tonearm_domain::{Levels, LevelsFormat, LevelsSettings};

use crate::peaks::PeaksMeter;
use crate::true_peak::TruePeak;
use crate::{LevelMeter, MediaError, Peaks, Probe, Progress};

/// What was measured of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Seconds: frames by sample rate. True, whatever the headers claim.
    pub duration: f64,
    /// Frames (samples of one channel), at least 1.
    pub frames: u64,
    /// Waveforms, in the order that was asked for.
    pub levels: Vec<Waveform>,
    /// Integrated loudness in LUFS (EBU R128); `None` for silence, and for less than 0.4 s.
    pub loudness_lufs: Option<f64>,
    /// The highest true peak of any channel in dBTP; `None` for digital silence.
    pub true_peak_dbtp: Option<f64>,
}

/// A waveform in the form that its settings ask for.
#[derive(Debug, Clone, PartialEq)]
pub enum Waveform {
    /// Our own levels.
    Levels(Levels),
    /// Peaks of audiowaveform's.
    Peaks(Peaks),
}

impl Waveform {
    /// Our own levels, if it is such.
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            Self::Levels(levels) => Some(levels),
            Self::Peaks(_) => None,
        }
    }
}

/// Bytes read at once.
const CHUNK: usize = 128 * 1024;
/// Chunks that may wait to be measured.
const CHUNKS: usize = 4;
/// Bytes that the pipe from ffmpeg holds, so that neither side waits for the other at every chunk.
const PIPE: usize = 1 << 20;

/// Measures interleaved 32-bit floats, little-endian, as they come.
pub(crate) struct Analyser {
    settings: Vec<LevelsSettings>,
    meter: LevelMeter,
    peaks: Vec<PeaksMeter>,
    progress: Option<Progress>,
    expected: Option<u64>,
    /// Until it is handed to its thread.
    loudness: Option<EbuR128>,
    true_peak: TruePeak,
    rate: u32,
    channels: u32,
}

impl Analyser {
    pub(crate) fn new(
        probe: &Probe,
        levels: &[LevelsSettings],
        progress: Option<Progress>,
    ) -> Result<Self, MediaError> {
        let loudness = EbuR128::new(probe.channels, probe.sample_rate, Mode::I).map_err(|error| {
            tracing::debug!(%error, "loudness cannot be measured");
            unmeasurable()
        })?;
        let (own, foreign): (Vec<_>, Vec<_>) = levels.iter().cloned().partition(is_own);
        let peaks = |settings| PeaksMeter::new(settings, probe.channels, probe.sample_rate);
        Ok(Self {
            settings: levels.to_vec(),
            meter: LevelMeter::new(probe.channels, &own, probe.expected_frames),
            peaks: foreign.iter().map(peaks).collect(),
            progress,
            expected: probe.expected_frames,
            loudness: Some(loudness),
            true_peak: TruePeak::new(probe.channels, probe.sample_rate),
            rate: probe.sample_rate,
            channels: probe.channels,
        })
    }

    /// Reads to the end. Holds a few chunks at a time, however long the sound is. Loudness, which takes longest, is
    /// measured on a thread of its own.
    pub(crate) fn consume(mut self, stdout: PipeReader) -> Result<Analysis, MediaError> {
        widen_pipe(&stdout);
        let loudness = self.loudness.take().ok_or(MediaError::Cancelled)?;
        let loudness = std::thread::scope(|scope| {
            let (measured, to_measure) = mpsc::sync_channel::<Vec<f32>>(CHUNKS);
            let (emptied, empty) = mpsc::channel();
            let measure = move || measure_loudness(loudness, to_measure, &emptied);
            let measuring =
                std::thread::Builder::new().name("loudness".to_owned()).spawn_scoped(scope, measure)?;
            self.read(stdout, &empty, |samples| measured.send(samples).is_ok())?;
            drop(measured);
            measuring.join().map_err(|_| unmeasurable())?
        })?;
        self.finish(&loudness)
    }

    /// Takes every chunk in, and passes it on. Ends early where it is not taken.
    fn read(
        &mut self,
        mut stdout: PipeReader,
        empty: &mpsc::Receiver<Vec<f32>>,
        mut pass_on: impl FnMut(Vec<f32>) -> bool,
    ) -> Result<(), MediaError> {
        let frame_bytes = self.channels as usize * size_of::<f32>();
        let mut bytes = vec![0; CHUNK.next_multiple_of(frame_bytes)];
        let mut filled = 0;
        loop {
            match stdout.read(&mut bytes[filled..]) {
                Ok(0) => return Ok(()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            }
            let whole = filled - filled % frame_bytes;
            let (floats, _) = bytes[..whole].as_chunks();
            let mut samples = empty.try_recv().unwrap_or_default();
            samples.clear();
            samples.extend(floats.iter().map(|float| tame(f32::from_le_bytes(*float))));
            self.add(&samples);
            if !pass_on(samples) {
                return Ok(());
            }
            bytes.copy_within(whole..filled, 0);
            filled -= whole;
        }
    }

    fn add(&mut self, samples: &[f32]) {
        self.meter.add(samples);
        self.true_peak.add(samples);
        self.peaks.iter_mut().for_each(|peaks| peaks.add(samples));
        if let (Some(progress), Some(expected)) = (&self.progress, self.expected) {
            progress((self.meter.frames() as f64 / expected.max(1) as f64) as f32);
        }
    }

    fn finish(self, loudness: &EbuR128) -> Result<Analysis, MediaError> {
        let frames = self.meter.frames();
        if frames == 0 {
            return Err(MediaError::silent_file());
        }
        let (mut levels, mut peaks) =
            (self.meter.finish().into_iter(), self.peaks.into_iter().map(PeaksMeter::finish));
        let next = |settings: &LevelsSettings| {
            if is_own(settings) {
                levels.next().map(Waveform::Levels)
            } else {
                peaks.next().map(Waveform::Peaks)
            }
        };
        Ok(Analysis {
            duration: frames as f64 / f64::from(self.rate),
            frames,
            loudness_lufs: loudness.loudness_global().ok().filter(|lufs| lufs.is_finite()),
            true_peak_dbtp: self.true_peak.decibels(),
            levels: self.settings.iter().filter_map(next).collect(),
        })
    }
}

/// Measures chunks as they come, and gives them back empty.
fn measure_loudness(
    mut loudness: EbuR128,
    chunks: mpsc::Receiver<Vec<f32>>,
    emptied: &mpsc::Sender<Vec<f32>>,
) -> Result<EbuR128, MediaError> {
    for samples in chunks {
        loudness.add_frames_f32(&samples).map_err(|error| {
            tracing::debug!(%error, "loudness measuring stopped");
            unmeasurable()
        })?;
        // Nobody needs it any more at the end.
        let _ = emptied.send(samples);
    }
    Ok(loudness)
}

fn unmeasurable() -> MediaError {
    MediaError::Failed("The loudness of this sound cannot be measured.".to_owned())
}

/// Where the system does not allow it, the pipe stays as it is.
fn widen_pipe(pipe: &PipeReader) {
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(pipe, PIPE) {
        tracing::debug!(%error, "the pipe from ffmpeg stays small");
    }
}

fn is_own(settings: &LevelsSettings) -> bool {
    settings.format == LevelsFormat::Levels
}

/// Files of floats can hold what is no number; that would spoil every sum it enters.
fn tame(sample: f32) -> f32 {
    if sample.is_finite() { sample } else { 0.0 }
}
