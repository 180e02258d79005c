//! What a rendering process says on its way, and what comes of it.

use std::io::{BufRead, BufReader, PipeReader, Read};
use std::path::{Path, PathBuf};

use tonearm_domain::{ContentType, FileData, RecipeKind, Transcode};

use crate::MediaError;

/// Is told the finished share of a piece of work, 0..=1, now and then.
pub type Progress = Box<dyn Fn(f32) + Send>;

/// A part of a track, from one second to another.
pub type Window = (f64, f64);

/// What is encoded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output<'a> {
    /// How.
    pub settings: &'a Transcode,
    /// Only this part.
    pub window: Option<Window>,
}

impl<'a> Output<'a> {
    /// What a transcode or preview asks for, of a track of `duration` seconds. [`MediaError::Unsupported`] for the
    /// other recipes, which nothing is encoded for, and for a preview of no length.
    pub fn of(kind: &'a RecipeKind, duration: f64) -> Result<Self, MediaError> {
        let unsupported = |reason: &str| Err(MediaError::Unsupported(reason.to_owned()));
        match kind {
            RecipeKind::Transcode(settings) => Ok(Self { settings, window: None }),
            RecipeKind::Preview(preview) => {
                let window = preview.window(duration);
                if window.1 > window.0 {
                    Ok(Self { settings: &preview.transcode, window: Some(window) })
                } else {
                    unsupported("The preview would be empty: its settings leave it no length.")
                }
            }
            RecipeKind::Levels(_) => unsupported("Levels are measured, not encoded."),
            RecipeKind::Original {} => unsupported("An original is delivered as it is."),
            RecipeKind::Cover(_) => unsupported("Covers are made from pictures, not from sound."),
            RecipeKind::WaveformImage(_) => unsupported("Waveform images are drawn from levels."),
            RecipeKind::WaveformVideo(_) => unsupported("Waveform videos are drawn from levels."),
        }
    }

    /// How many seconds of a track of `duration` seconds it holds.
    pub(crate) fn seconds(&self, duration: f64) -> f64 {
        self.window.map_or(duration, |(start, end)| end - start)
    }

    pub(crate) fn content_type(&self) -> ContentType {
        self.settings.codec.content_type()
    }

    pub(crate) fn data(&self) -> FileData {
        match self.window {
            None => FileData::None {},
            Some((start, end)) => {
                FileData::Preview { duration: end - start, capture_start: start, capture_end: end }
            }
        }
    }
}

/// A finished file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Where it is, in a folder of its own inside the scratch folder.
    pub path: PathBuf,
    /// What it is.
    pub content_type: ContentType,
    /// Its bytes, at least 1.
    pub size: u64,
    /// What else is known of it.
    pub data: FileData,
}

/// Reads ffmpeg's `-progress` lines, tells `progress` the finished share (0..=1) of `seconds`, and gives the
/// microseconds of sound that were written.
pub(crate) fn follow(
    stdout: PipeReader,
    seconds: f64,
    progress: Option<&Progress>,
) -> Result<u64, MediaError> {
    let mut written = 0;
    let mut lines = BufReader::new(stdout);
    let mut line = Vec::new();
    while lines.by_ref().take(1024).read_until(b'\n', &mut line)? > 0 {
        let micros = line.strip_prefix(b"out_time_us=").and_then(|value| str::from_utf8(value).ok());
        // Before the first frame the value is `N/A`, or below zero.
        if let Some(micros) = micros.and_then(|value| value.trim().parse().ok()) {
            written = micros;
            if let Some(progress) = progress {
                let share = (micros as f64 / 1e6 / seconds.max(0.001)).min(1.0);
                progress(share as f32);
            }
        }
        line.clear();
    }
    Ok(written)
}

/// The size of a finished file; an error where there is nothing in it.
pub(crate) async fn check_output(path: &Path, has_sound: bool) -> Result<u64, MediaError> {
    let size = match tokio::fs::metadata(path).await {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error.into()),
    };
    if size == 0 || !has_sound {
        return Err(MediaError::Failed(
            "No sound came out: this part of the file cannot be decoded.".to_owned(),
        ));
    }
    Ok(size)
}
