//! Decodes a whole sound once to measure its true length, its levels and its loudness.

use std::io::{self, ErrorKind, PipeReader, Read};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tonearm_domain::{Levels, LevelsFormat, LevelsSettings};

use crate::declared_length::DeclaredLength;
use crate::error::MediaError;
use crate::probe::Probe;
use crate::render::Progress;
use tonearm_signal::LevelMeter;
use tonearm_signal::LoudnessMeter;
use tonearm_signal::SampleEncoding;
use tonearm_signal::TruePeak;
use tonearm_signal::{Peaks, PeaksMeter};

/// The measurements of a sound.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis {
    /// Seconds: frames by sample rate. True, whatever the headers claim.
    pub duration: f64,
    /// Frames (samples of one channel), at least 1.
    pub frames: u64,
    /// Waveforms, in the requested order.
    pub levels: Vec<Waveform>,
    /// Integrated loudness in LUFS (EBU R128); `None` for silence, and for less than 0.4 s.
    pub loudness_lufs: Option<f64>,
    /// The highest true peak of any channel in dBTP; `None` for digital silence.
    pub true_peak_dbtp: Option<f64>,
    /// Whether the file holds less sound than it declares.
    pub is_truncated: bool,
}

/// A waveform in the form that its settings request.
#[derive(Debug, Clone, PartialEq)]
pub enum Waveform {
    /// Our own levels.
    Levels(Levels),
    /// Peaks as audiowaveform writes them.
    Peaks(Peaks),
}

impl Waveform {
    /// Our own levels, or `None` for peaks.
    pub fn levels(&self) -> Option<&Levels> {
        match self {
            Self::Levels(levels) => Some(levels),
            Self::Peaks(_) => None,
        }
    }
}

/// Samples read from a file at once.
const CHUNK: usize = 32 * 1024;
/// Number of samples in a file from which extra threads are worth it: about six minutes in stereo. The allocator keeps
/// some memory of every thread that ends, so a backlog of short sounds would use more and more memory.
const LONG: u64 = 1 << 25;
/// Chunks that may wait to be measured.
const CHUNKS: usize = 4;
/// Samples read from a pipe at once.
const GULP: usize = 128 * 1024;
/// Bytes that the pipe from ffmpeg holds: two gulps, so that ffmpeg fills one while the other is measured.
const PIPE: usize = 2 * GULP * size_of::<f32>();
/// How long a pipe is left to fill up.
const NAP: Duration = Duration::from_millis(1);

/// Measures interleaved samples as they come.
pub(crate) struct Analyser {
    settings: Vec<LevelsSettings>,
    meter: LevelMeter,
    peaks: Vec<PeaksMeter>,
    progress: Option<Progress>,
    expected: Option<u64>,
    /// The meters that may run on threads of their own, until they are handed to them.
    aside: Option<(LoudnessMeter, TruePeak)>,
    rate: u32,
    channels: u32,
    promise: DeclaredLength,
}

impl Analyser {
    pub(crate) fn new(probe: &Probe, levels: &[LevelsSettings], progress: Option<Progress>) -> Self {
        let Probe { channels, sample_rate: rate, expected_frames: expected, .. } = *probe;
        let (own, foreign): (Vec<_>, Vec<_>) = levels.iter().cloned().partition(is_own);
        let peaks = |settings| PeaksMeter::new(settings, channels, rate);
        Self {
            settings: levels.to_vec(),
            meter: LevelMeter::new(channels, &own, expected),
            peaks: foreign.iter().map(peaks).collect(),
            progress,
            expected,
            aside: Some((LoudnessMeter::new(&probe.layout(), rate), TruePeak::new(channels, rate))),
            rate,
            channels,
            promise: probe.promise,
        }
    }

    /// Reads ffmpeg's decoded output to the end. More threads would not make it faster: ffmpeg's decoding takes longer
    /// than all the measuring.
    pub(crate) fn consume(self, stdout: PipeReader) -> Result<Analysis, MediaError> {
        widen_pipe(&stdout);
        // When the work is cancelled, ffmpeg is killed and its pipe ends.
        self.measure_here(
            BatchingPipeReader(stdout),
            (SampleEncoding::Float32, GULP),
            &CancellationToken::new(),
        )
    }

    /// Reads the samples of a file to the end. Holds a few chunks at a time, however long the sound is.
    pub(crate) fn measure(
        self,
        samples: impl Read,
        encoding: SampleEncoding,
        cancel: &CancellationToken,
    ) -> Result<Analysis, MediaError> {
        let count = self.expected.unwrap_or(0).saturating_mul(self.channels.into());
        if count < LONG {
            self.measure_here(samples, (encoding, CHUNK), cancel)
        } else {
            self.measure_side_by_side(samples, encoding, cancel)
        }
    }

    /// Measures on this thread alone.
    fn measure_here(
        mut self,
        samples: impl Read,
        form: (SampleEncoding, usize),
        cancel: &CancellationToken,
    ) -> Result<Analysis, MediaError> {
        let (mut loudness, mut true_peak) = self.aside.take().ok_or(MediaError::Cancelled)?;
        self.read(samples, form, cancel, |samples| {
            loudness.add(&samples);
            true_peak.add(&samples);
            Some(samples)
        })?;
        self.finish(&loudness, &true_peak)
    }

    /// Measures loudness and true peaks, which take longest, on threads of their own.
    fn measure_side_by_side(
        mut self,
        samples: impl Read,
        encoding: SampleEncoding,
        cancel: &CancellationToken,
    ) -> Result<Analysis, MediaError> {
        let (mut loudness, mut true_peak) = self.aside.take().ok_or(MediaError::Cancelled)?;
        let meters: [(&str, Meter<'_>); 2] = [
            ("loudness", Box::new(|samples| loudness.add(samples))),
            ("true peak", Box::new(|samples| true_peak.add(samples))),
        ];
        std::thread::scope(|scope| {
            let (emptied, empty) = mpsc::channel();
            let mut feeds = Vec::new();
            for (name, meter) in meters {
                let (feed, chunks) = mpsc::sync_channel(CHUNKS);
                let emptied = emptied.clone();
                let measure = move || take_all(meter, &chunks, &emptied);
                std::thread::Builder::new().name(name.to_owned()).spawn_scoped(scope, measure)?;
                feeds.push(feed);
            }
            self.read(samples, (encoding, CHUNK), cancel, |samples| {
                let samples = Arc::new(samples);
                let is_taken = feeds.iter().all(|feed| feed.send(Arc::clone(&samples)).is_ok());
                // If a send failed, a thread has panicked, and the scope will panic as well.
                is_taken.then(|| empty.try_recv().unwrap_or_default())
            })
        })?;
        self.finish(&loudness, &true_peak)
    }

    /// Adds every chunk to the levels and passes it on. `pass_on` returns a buffer for the next chunk, or `None` to
    /// stop.
    fn read(
        &mut self,
        source: impl Read,
        form: (SampleEncoding, usize),
        cancel: &CancellationToken,
        mut pass_on: impl FnMut(Vec<f32>) -> Option<Vec<f32>>,
    ) -> Result<(), MediaError> {
        read_chunks(source, self.channels, form, cancel, |samples| {
            self.add(&samples);
            pass_on(samples)
        })
    }

    fn add(&mut self, samples: &[f32]) {
        self.meter.add(samples);
        self.peaks.iter_mut().for_each(|peaks| peaks.add(samples));
        if let (Some(progress), Some(expected)) = (&self.progress, self.expected) {
            progress((self.meter.frames() as f64 / expected.max(1) as f64) as f32);
        }
    }

    fn finish(self, loudness: &LoudnessMeter, true_peak: &TruePeak) -> Result<Analysis, MediaError> {
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
        let duration = frames as f64 / f64::from(self.rate);
        Ok(Analysis {
            duration,
            frames,
            is_truncated: self.promise.is_broken_by(duration),
            loudness_lufs: loudness.integrated(),
            true_peak_dbtp: true_peak.decibels(),
            levels: self.settings.iter().filter_map(next).collect(),
        })
    }
}

/// Reads ffmpeg's decoded output with this many channels, and passes on whole frames.
pub(crate) fn read_decoded(
    stdout: PipeReader,
    channels: u32,
    mut take: impl FnMut(&[f32]),
) -> Result<(), MediaError> {
    widen_pipe(&stdout);
    // When the work is cancelled, ffmpeg is killed and its pipe ends.
    let never = CancellationToken::new();
    read_chunks(BatchingPipeReader(stdout), channels, (SampleEncoding::Float32, GULP), &never, |samples| {
        take(&samples);
        Some(samples)
    })
}

/// Counts the frames of ffmpeg's decoded output with this many channels.
pub(crate) fn count_frames(stdout: PipeReader, channels: u32) -> Result<u64, MediaError> {
    let mut samples = 0;
    read_decoded(stdout, channels, |chunk| samples += chunk.len() as u64)?;
    Ok(samples / u64::from(channels))
}

/// Passes on chunks of whole frames until the source ends or `pass_on` returns no buffer for the next chunk.
fn read_chunks(
    mut source: impl Read,
    channels: u32,
    (encoding, chunk): (SampleEncoding, usize),
    cancel: &CancellationToken,
    mut pass_on: impl FnMut(Vec<f32>) -> Option<Vec<f32>>,
) -> Result<(), MediaError> {
    let frame_bytes = channels as usize * encoding.bytes();
    let mut bytes = vec![0; (chunk * encoding.bytes()).next_multiple_of(frame_bytes)];
    let mut room = Some(Vec::new());
    while let Some(mut samples) = room {
        if cancel.is_cancelled() {
            return Err(MediaError::Cancelled);
        }
        let filled = fill(&mut source, &mut bytes)?;
        samples.clear();
        encoding.read(&bytes[..filled - filled % frame_bytes], &mut samples);
        room = pass_on(samples).filter(|_| filled == bytes.len());
    }
    Ok(())
}

/// A meter that takes samples.
type Meter<'a> = Box<dyn FnMut(&[f32]) + Send + 'a>;

/// Measures chunks as they arrive. Returns a chunk's buffer for reuse when no other meter needs it.
fn take_all(mut meter: Meter<'_>, chunks: &mpsc::Receiver<Arc<Vec<f32>>>, emptied: &mpsc::Sender<Vec<f32>>) {
    for samples in chunks {
        meter(&samples);
        if let Some(samples) = Arc::into_inner(samples) {
            // At the end the receiver is gone.
            let _ = emptied.send(samples);
        }
    }
}

/// Reads until the buffer is full or the source ends.
fn fill(source: &mut impl Read, bytes: &mut [u8]) -> Result<usize, MediaError> {
    let mut filled = 0;
    while filled < bytes.len() {
        match source.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}

/// A pipe that is read in large pieces as long as it keeps filling up. The writer waits at every read, and waking up
/// for every packet would cost both sides more than the work itself.
struct BatchingPipeReader(PipeReader);

impl Read for BatchingPipeReader {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let mut before = 0;
        loop {
            let waiting = rustix::io::ioctl_fionread(&self.0)?;
            // If nothing was added, the pipe may have ended.
            if waiting >= bytes.len() as u64 || waiting == before {
                return self.0.read(bytes);
            }
            before = waiting;
            std::thread::sleep(NAP);
        }
    }
}

/// Enlarges the pipe. If the system does not allow it, the pipe stays as it is.
fn widen_pipe(pipe: &PipeReader) {
    if let Err(error) = rustix::pipe::fcntl_setpipe_size(pipe, PIPE) {
        tracing::debug!(%error, "the pipe from ffmpeg stays small");
    }
}

fn is_own(settings: &LevelsSettings) -> bool {
    settings.format == LevelsFormat::Levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_find_what_one_thread_finds() {
        let bytes: Vec<u8> =
            (0..800_000_u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let probe = Probe::of_sound(44_100, 2);
        let analyser = || Analyser::new(&probe, &[LevelsSettings::default()], None);
        let cancel = CancellationToken::new();
        let here = analyser().measure_here(&bytes[..], (SampleEncoding::Signed16, CHUNK), &cancel).unwrap();
        let beside = analyser().measure_side_by_side(&bytes[..], SampleEncoding::Signed16, &cancel).unwrap();
        assert_eq!(here, beside);
        assert_eq!(here.frames, 200_000);
    }
}
