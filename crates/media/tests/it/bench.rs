//! The common setup of these tests.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;
use tonearm_domain::{RecipeKind, Transcode};
use tonearm_fixtures::audio::{Signal, WavSpec, write_wav};
use tonearm_media::{
    Analysis, Media, MediaConfig, MediaError, MediaLimits, Output, Probe, Rendered, RunScope, TierLimits,
};

/// The real tools, and a temporary folder.
pub(crate) struct Bench {
    pub(crate) media: Media,
    pub(crate) folder: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Self::with_limits(MediaLimits::default())
    }

    pub(crate) fn with_limits(limits: MediaLimits) -> Self {
        let config = MediaConfig { limits, ..MediaConfig::find() };
        Self { media: Media::new(config), folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a WAV file.
    pub(crate) fn wav(&self, name: &str, spec: &WavSpec) -> PathBuf {
        let path = self.path().join(name);
        write_wav(spec, &path).unwrap();
        path
    }

    /// Writes the output of an ffmpeg source (`lavfi`), with these options for the encoder.
    pub(crate) fn made(&self, name: &str, source: &str, options: &[&str]) -> PathBuf {
        let path = self.path().join(name);
        let made = Command::new("ffmpeg")
            .args(["-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", source])
            .args(options)
            .arg(&path)
            .status()
            .unwrap();
        assert!(made.success(), "{source}");
        path
    }

    /// The analysis of a file's whole sound.
    pub(crate) async fn analyse(&self, input: &Path) -> Analysis {
        let probe = self.probe(input).await.unwrap();
        self.media.analyse(input, &probe, &[], &RunScope::default(), None).await.unwrap()
    }

    pub(crate) async fn probe(&self, input: &Path) -> Result<Probe, MediaError> {
        self.media.probe(input, &RunScope::default()).await
    }

    pub(crate) async fn render(
        &self,
        input: &Path,
        duration: f64,
        kind: &RecipeKind,
    ) -> Result<Rendered, MediaError> {
        let probe = self.probe(input).await?;
        self.render_probed(input, &probe, duration, kind).await
    }

    pub(crate) async fn render_probed(
        &self,
        input: &Path,
        probe: &Probe,
        duration: f64,
        kind: &RecipeKind,
    ) -> Result<Rendered, MediaError> {
        let scope = RunScope::default();
        let output = Output::of(kind, duration)?;
        self.media.render(input, probe, duration, output, self.path(), &scope, None).await
    }

    pub(crate) async fn transcode(&self, input: &Path, settings: Transcode) -> Result<Rendered, MediaError> {
        self.render(input, 0.0, &RecipeKind::Transcode(settings)).await
    }
}

/// Noise of this many minutes, which keeps any encoder busy.
pub(crate) fn long_noise(minutes: f64) -> WavSpec {
    WavSpec {
        seconds: 60.0 * minutes,
        signal: Signal::Noise { seed: 1, amplitude: 0.5 },
        ..WavSpec::default()
    }
}

pub(crate) fn limits(normal: TierLimits) -> MediaLimits {
    MediaLimits { normal, fallback: None }
}

pub(crate) fn no_time() -> TierLimits {
    TierLimits {
        wall: Duration::from_millis(1),
        wall_per_sound_second: 0.0,
        wall_per_100_mib: 0.0,
        ..TierLimits::default()
    }
}

/// The first `seconds` from `start` as 16-bit mono samples at 44.1 kHz, decoded by plain ffmpeg.
pub(crate) fn decode(path: &Path, start: f64, seconds: f64) -> Vec<f64> {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-loglevel", "error", "-i"])
        .arg(path)
        .args(["-af", &format!("atrim=start={start}:duration={seconds}")])
        .args(["-vn", "-ac", "1", "-ar", "44100", "-f", "s16le", "-"])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (samples, _) = output.stdout.as_chunks();
    samples.iter().map(|s| f64::from(i16::from_le_bytes(*s)) / 32768.0).collect()
}

/// The summary of ffmpeg's own meter: LUFS, and the true peak in dBFS. The filters run before the meter.
pub(crate) fn ffmpeg_loudness(input: &Path, filters: &str) -> (f64, f64) {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-nostats", "-i"])
        .arg(input)
        .args(["-af", &format!("{filters}ebur128=peak=true"), "-f", "null", "-"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let summary = text.rsplit("Summary:").next().unwrap();
    let after = |label: &str| {
        let line = summary.lines().find(|line| line.trim().starts_with(label));
        let line = line.unwrap_or_else(|| panic!("{text}"));
        line.split_ascii_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (after("I:"), after("Peak:"))
}
