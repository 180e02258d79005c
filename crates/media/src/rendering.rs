//! Encoding one output: once, or until it is as loud as it should be.
//!
//! A loudness target takes what is measured of exactly the sound that is encoded: its window, with its channels folded
//! down. Where peaks have to be limited, the sound is decoded once more for a forecast of what that takes away
//! ([`crate::limiter`]). What comes out of a lossy encoder or a limiter is decoded and measured, and encoded again where
//! it is not what was asked for, which is rare.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tempfile::TempDir;
use tonearm_domain::MissedLoudness;
use tonearm_telemetry::Purpose;

use crate::analyse::{Analyser, Analysis};
use crate::error::MediaError;
use crate::limiter::{Forecast, Gain, Level, LoudnessCurve};
use crate::limits::RunScope;
use crate::media::{Media, fresh_folder};
use crate::permits::EncoderPermit;
use crate::probe::Probe;
use crate::process::Invocation;
use crate::render::{Output, Progress, Reading, Rendered};
use crate::target::Search;
use crate::{args, render};

/// How often an output is encoded at most.
const ATTEMPTS: usize = 3;

impl Media {
    /// Makes the file of a transcode or preview in a fresh folder inside `scratch`. `duration` is the track's, in
    /// seconds, best as [`Media::analyse`] measured it. `progress` is told the finished share.
    ///
    /// A loudness target is met by one gain, with a limiter where that would lift peaks above -1 dBTP; what
    /// `probe.info` knows of loudness and true peak is not measured again. Where the target cannot be reached, `data`
    /// says so. Sound that has no loudness gets no gain.
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
        let (permit, progress) =
            (self.encoder_permit(scope).await?, progress.map(|progress| Arc::new(Mutex::new(progress))));
        let (input, size) = self.open(input).await?;
        let mut best = Err(MediaError::no_sound());
        for &reading in render::readings(output.window, probe, duration) {
            let rendering = Rendering {
                media: self,
                input: &input,
                size,
                probe,
                duration,
                output,
                reading,
                scope,
                permit: &permit,
                folder: fresh_folder(scratch).await?,
                progress: progress.clone(),
            };
            match rendering.make().await {
                Ok((rendered, true)) => return Ok(rendered),
                Ok((rendered, false)) => best = Ok(rendered),
                Err(error @ (MediaError::NotAudio(_) | MediaError::Failed(_))) => best = best.or(Err(error)),
                Err(error) => return Err(error),
            }
        }
        best
    }
}

/// One output in the making, with a permit of its own.
struct Rendering<'a> {
    media: &'a Media,
    input: &'a Path,
    /// Bytes of the input.
    size: u64,
    probe: &'a Probe,
    /// Seconds of the whole track.
    duration: f64,
    output: Output<'a>,
    /// How its part is reached.
    reading: Reading,
    scope: &'a RunScope,
    permit: &'a EncoderPermit,
    /// What is made is written here.
    folder: TempDir,
    progress: Option<Arc<Mutex<Progress>>>,
}

/// A file that came out of an encoder.
struct Encoded {
    path: PathBuf,
    size: u64,
    /// Seconds of sound.
    seconds: f64,
}

/// What was measured of a sound.
#[derive(Debug, Clone, Copy)]
enum MeasuredLevel {
    /// Loudness and true peak.
    Sound(Level),
    /// Silence, or less than 0.4 s; with its true peak in dBTP, if there is one.
    Unmeasurable(Option<f64>),
}

impl Rendering<'_> {
    /// Makes the file, and tells whether all that was asked for came out. What is left in the folder from then on is the caller's.
    async fn make(self) -> Result<(Rendered, bool), MediaError> {
        let (encoded, missed) = match self.output.settings.loudness_target {
            None => (self.encode(None, 0).await?, None),
            Some(target) => self.encode_to(target).await?,
        };
        let Encoded { path, size, seconds } = encoded;
        let (content_type, data) = (self.output.content_type(), self.output.data(seconds, missed));
        let _ = self.folder.keep();
        Ok((Rendered { path, content_type, size, data }, !self.output.is_missed_by(seconds)))
    }

    /// Encodes it as loud as asked for, and says where that was not possible.
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
            // What is too quiet to be measured was asked to be so.
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

    /// Whether what comes out may differ from what was predicted.
    fn is_uncertain(&self, gain: Gain) -> bool {
        let rate = args::rate_of(self.probe, &self.output);
        gain.ceiling.is_some() || !self.output.settings.codec.is_lossless() || rate != self.probe.sample_rate
    }

    async fn encode(&self, gain: Option<Gain>, number: usize) -> Result<Encoded, MediaError> {
        let name = format!("out-{number}");
        let path = self.folder.path().join(name).with_extension(self.output.content_type().extension());
        let args = args::transcode_args(self.input, &path, self.probe, &self.output, self.reading, gain);
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
        Ok(Encoded { path, size, seconds: Duration::from_micros(written).as_secs_f64() })
    }

    /// What is encoded, before any gain. Known already where that is the whole as it is.
    async fn source_level(&self) -> Result<MeasuredLevel, MediaError> {
        let info = &self.probe.info;
        let is_whole = self.output.window.is_none() && self.channels() == self.probe.channels;
        if let (true, Some(loudness), Some(true_peak)) = (is_whole, info.loudness_lufs, info.true_peak_dbtp) {
            return Ok(MeasuredLevel::Sound(Level { loudness, true_peak }));
        }
        let args = args::output_pcm_args(self.input, self.probe, &self.output, self.reading);
        let rate = self.probe.sample_rate;
        match self.measure(self.run_over(self.input, self.size, args), self.channels(), rate).await {
            // Whether there is nothing to encode is for the encoder to say.
            Err(MediaError::NotAudio(_)) => Ok(MeasuredLevel::Unmeasurable(None)),
            analysis => Ok(MeasuredLevel::of(&analysis?)),
        }
    }

    async fn forecast(&self, level: Level) -> Result<LoudnessCurve, MediaError> {
        let args = args::output_pcm_args(self.input, self.probe, &self.output, self.reading);
        let forecast = Forecast::new(self.channels(), self.probe.sample_rate, level.true_peak);
        let invocation = self.run_over(self.input, self.size, args);
        invocation.run(&self.scope.cancel, move |stdout| forecast.consume(stdout, level)).await
    }

    async fn measure_encoded(&self, encoded: &Encoded) -> Result<MeasuredLevel, MediaError> {
        let rate = args::rate_of(self.probe, &self.output);
        let args = args::made_pcm_args(&encoded.path, self.channels(), rate);
        let invocation = self.run_over(&encoded.path, encoded.size, args);
        Ok(MeasuredLevel::of(&self.measure(invocation, self.channels(), rate).await?))
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

    /// A run that reads a file of so many bytes and writes none.
    fn run_over(&self, input: &Path, bytes: u64, args: Vec<OsString>) -> Invocation {
        Invocation {
            niceness: self.permit.niceness(),
            input: Some(input.to_owned()),
            purpose: Purpose::Measure,
            otherwise: "The audio could not be decoded.",
            ..self.media.ffmpeg(args, self.scope, self.duration, bytes)
        }
    }

    /// A way to tell the finished share, for one of several runs.
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
