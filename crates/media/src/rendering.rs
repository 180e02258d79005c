//! Encodes one output: once, or repeatedly until its loudness is right.
//!
//! A loudness target requires a measurement of exactly the sound that is encoded: its window, downmixed. If peaks have
//! to be limited, the sound is decoded once more for a forecast of what the limiter takes away ([`crate::limiter`]).
//! The output of a lossy encoder or a limiter is decoded and measured, and encoded again if it misses the target, which
//! is rare.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tonearm_domain::{Codec, MissedLoudness};
use tonearm_telemetry::Purpose;

use crate::analyse::{Analyser, Analysis, count_frames};
use crate::error::MediaError;
use crate::limiter::{Forecast, Gain, Level, LoudnessCurve};
use crate::limits::RunScope;
use crate::measuring::looked_through;
use crate::media::{Media, fresh_folder};
use crate::permits::Permits;
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{Output, Progress, Rendered};
use crate::target::Search;
use crate::{args, lame_tag, render};

/// How much louder one channel is if two loudspeakers play it, in LU (EBU Tech 3344, dual mono).
const DUAL_MONO: f64 = 3.01;
/// The most encodings of an output.
const ATTEMPTS: usize = 3;

impl Media {
    /// Renders a transcode or preview into a fresh folder inside `scratch`. `duration` is the track's, in seconds,
    /// preferably as measured by [`Media::analyse`]. `progress` receives the finished share.
    ///
    /// A loudness target is met by one gain, with a limiter if the gain would lift peaks above -1 dBTP. Loudness and
    /// true peak are not measured again if `probe.info` has them. If the target cannot be reached, `data` says so.
    /// Sound that has no measurable loudness gets no gain.
    #[expect(clippy::too_many_arguments, reason = "each is another thing, and callers have them apart")]
    pub async fn render(
        &self,
        input: &Path,
        probe: &Probe,
        duration: f64,
        output: Output<'_>,
        scratch: &Path,
        scope: &RunScope,
        progress: Option<Progress>,
    ) -> Result<Rendered, MediaError> {
        let permits = self.encoder_permit(scope).await?;
        let (input, size) = self.open(input).await?;
        let rendering = Rendering {
            media: self,
            input: &input,
            size,
            probe: &looked_through(&input, probe, scope).await?,
            duration,
            output,
            scope,
            permits,
            folder: fresh_folder(scratch).await?,
            progress: progress.map(|progress| Arc::new(Mutex::new(progress))),
        };
        rendering.make().await
    }
}

/// Writes the chapters that some of the outputs store into their folder.
pub(crate) async fn write_chapters<'a>(
    folder: &Path,
    probe: &Probe,
    outputs: impl IntoIterator<Item = &'a Output<'a>>,
) -> Result<Option<PathBuf>, MediaError> {
    let Some(list) = args::chapter_list(probe, outputs.into_iter()) else { return Ok(None) };
    let path = folder.join("chapters");
    tokio::fs::write(&path, list).await?;
    Ok(Some(path))
}

/// One output being rendered, with a permit of its own.
struct Rendering<'a> {
    media: &'a Media,
    input: &'a Path,
    /// Size of the input in bytes.
    size: u64,
    probe: &'a Probe,
    /// Duration of the whole track in seconds.
    duration: f64,
    output: Output<'a>,
    scope: &'a RunScope,
    permits: Arc<Permits>,
    /// The folder for the rendered files.
    folder: TempDir,
    progress: Option<Arc<Mutex<Progress>>>,
}

/// An encoded file.
struct Encoded {
    path: PathBuf,
    size: u64,
    /// Seconds of sound.
    seconds: f64,
}

/// The measured level of a sound.
#[derive(Debug, Clone, Copy)]
enum MeasuredLevel {
    /// Loudness and true peak.
    Sound(Level),
    /// Silence, or less than 0.4 s; with its true peak in dBTP, if there is one.
    Unmeasurable(Option<f64>),
}

impl Rendering<'_> {
    /// Renders the file. The caller owns what is left in the folder.
    async fn make(self) -> Result<Rendered, MediaError> {
        let (encoded, missed) = match self.output.settings.loudness_target {
            None => (self.encode(None, 0).await?, None),
            Some(target) => self.encode_to(target).await?,
        };
        let Encoded { path, size, seconds } = encoded;
        let (content_type, data) = (self.output.content_type(), self.output.data(seconds, missed));
        let _ = self.folder.keep();
        Ok(Rendered { path, content_type, size, data })
    }

    /// Encodes to the loudness target, and returns by how much it was missed, if it was.
    async fn encode_to(&self, target: f64) -> Result<(Encoded, Option<MissedLoudness>), MediaError> {
        let source = match self.source_level().await? {
            MeasuredLevel::Sound(level) => level,
            MeasuredLevel::Unmeasurable(true_peak) => {
                let missed = MissedLoudness::new(target, None, true_peak);
                return Ok((self.encode(None, 0).await?, Some(missed)));
            }
        };
        let mut search = Search::new(target, source, args::encoding_of(self.probe, &self.output));
        for number in 1.. {
            if search.needs_curve() {
                search.learn(self.forecast(source).await?);
            }
            let attempt = search.attempt();
            let encoded = self.encode(Some(attempt.gain), number).await?;
            if !self.is_uncertain(attempt.gain) {
                return Ok((encoded, None));
            }
            // The target was so quiet that the result cannot be measured.
            let MeasuredLevel::Sound(measured) = self.measure_encoded(&encoded).await? else {
                return Ok((encoded, None));
            };
            if number == ATTEMPTS || !search.improve(&attempt, measured) {
                let missed = MissedLoudness::new(target, Some(measured.loudness), Some(measured.true_peak));
                return Ok((encoded, (!search.is_reached(measured)).then_some(missed)));
            }
            tracing::debug!(?attempt, found = ?measured, "encoding again for the loudness target");
            tokio::fs::remove_file(&encoded.path).await?;
        }
        Err(MediaError::Failed("The loudness target could not be applied.".to_owned()))
    }

    /// Whether the result may differ from the prediction.
    fn is_uncertain(&self, gain: Gain) -> bool {
        let rate = args::rate_of(self.probe, &self.output);
        gain.ceiling.is_some() || !self.output.settings.codec.is_lossless() || rate != self.probe.sample_rate
    }

    async fn encode(&self, gain: Option<Gain>, number: usize) -> Result<Encoded, MediaError> {
        let name = format!("out-{number}");
        let path = self.folder.path().join(name).with_extension(self.output.content_type().extension());
        let chapters = write_chapters(self.folder.path(), self.probe, [&self.output]).await?;
        let args =
            args::transcode_args(self.input, &path, self.probe, &self.output, gain, chapters.as_deref());
        let invocation = Invocation {
            folder: Some(self.folder.path().to_owned()),
            purpose: Purpose::Encode,
            otherwise: "The audio could not be encoded.",
            ..self.run_over(self.input, self.size, args)
        };
        let (seconds, progress) = (self.output.seconds(self.duration), self.progress());
        let follow = move |stdout| render::follow(stdout, seconds, progress.as_ref());
        let written = invocation.run(&self.scope.cancel, follow).await?;
        let size = render::check_output(&path, written > 0).await?;
        self.correct_lame_tag(&path, gain).await?;
        Ok(Encoded { path, size, seconds: Duration::from_micros(written).as_secs_f64() })
    }

    async fn correct_lame_tag(&self, path: &Path, gain: Option<Gain>) -> Result<(), MediaError> {
        if self.output.settings.codec != Codec::Mp3 {
            return Ok(());
        }
        let count = async || {
            let args = args::encoder_pcm_args(self.input, self.probe, &self.output, gain);
            let (invocation, channels) = (self.run_over(self.input, self.size, args), self.channels());
            invocation.run(&self.scope.cancel, move |stdout| count_frames(stdout, channels)).await
        };
        let keeps_level = args::keeps_level(self.probe, &self.output, gain);
        lame_tag::correct(path, keeps_level, count).await
    }

    /// The level of the encoder's input before any gain. It is known already if that is the whole unchanged sound.
    async fn source_level(&self) -> Result<MeasuredLevel, MediaError> {
        let info = &self.probe.info;
        let is_whole = self.output.window.is_none() && self.channels() == self.probe.channels;
        if let (true, Some(loudness), Some(true_peak)) = (is_whole, info.loudness_lufs, info.true_peak_dbtp) {
            return Ok(self.heard(MeasuredLevel::Sound(Level { loudness, true_peak })));
        }
        let args = args::output_pcm_args(self.input, self.probe, &self.output);
        let rate = self.probe.sample_rate;
        match self.measure(self.run_over(self.input, self.size, args), self.channels(), rate).await {
            // The encoder reports whether there is nothing to encode.
            Err(MediaError::NotAudio(_)) => Ok(MeasuredLevel::Unmeasurable(None)),
            analysis => Ok(self.heard(MeasuredLevel::of(&analysis?))),
        }
    }

    /// The level as it is heard: one channel is played by both loudspeakers.
    fn heard(&self, level: MeasuredLevel) -> MeasuredLevel {
        match level {
            MeasuredLevel::Sound(Level { loudness, true_peak }) if self.channels() == 1 => {
                MeasuredLevel::Sound(Level { loudness: loudness + DUAL_MONO, true_peak })
            }
            level => level,
        }
    }

    async fn forecast(&self, level: Level) -> Result<LoudnessCurve, MediaError> {
        let args = args::output_pcm_args(self.input, self.probe, &self.output);
        let forecast = Forecast::new(self.channels(), self.probe.sample_rate, level.true_peak);
        let invocation = self.run_over(self.input, self.size, args);
        invocation.run(&self.scope.cancel, move |stdout| forecast.consume(stdout, level)).await
    }

    async fn measure_encoded(&self, encoded: &Encoded) -> Result<MeasuredLevel, MediaError> {
        let rate = args::rate_of(self.probe, &self.output);
        let args = args::made_pcm_args(&encoded.path, self.channels(), rate);
        let invocation = self.run_over(&encoded.path, encoded.size, args);
        Ok(self.heard(MeasuredLevel::of(&self.measure(invocation, self.channels(), rate).await?)))
    }

    async fn measure(
        &self,
        invocation: Invocation,
        channels: u32,
        sample_rate: u32,
    ) -> Result<Analysis, MediaError> {
        let probe = Probe { channels, sample_rate, channel_layout: None, ..self.probe.clone() };
        let analyser = Analyser::new(&probe, &[], None);
        invocation.run(&self.scope.cancel, move |stdout| analyser.consume(stdout)).await
    }

    fn channels(&self) -> u32 {
        args::channels_of(self.probe, &self.output)
    }

    /// A run that reads a file of this many bytes and writes none.
    fn run_over(&self, input: &Path, bytes: u64, args: Vec<OsString>) -> Invocation {
        Invocation {
            permits: Some(Arc::clone(&self.permits)),
            input: Some(input.to_owned()),
            purpose: Purpose::Measure,
            otherwise: "The audio could not be decoded.",
            ..self.media.ffmpeg(args, self.scope, self.duration, bytes)
        }
    }

    /// A callback for the finished share, for one of several runs.
    fn progress(&self) -> Option<Progress> {
        let shared = Arc::clone(self.progress.as_ref()?);
        Some(Box::new(move |share| shared.lock().unwrap_or_else(PoisonError::into_inner)(share)))
    }
}

impl MeasuredLevel {
    fn of(analysis: &Analysis) -> Self {
        match (analysis.loudness_lufs, analysis.true_peak_dbtp) {
            (Some(loudness), Some(true_peak)) => Self::Sound(Level { loudness, true_peak }),
            (_, true_peak) => Self::Unmeasurable(true_peak),
        }
    }
}
