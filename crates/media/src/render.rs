//! Progress and results of rendering processes.

use std::io::{BufRead, BufReader, PipeReader, Read};
use std::path::{Path, PathBuf};

use tonearm_domain::{ContentType, FileData, MissedLoudness, RecipeKind, Transcode};

use crate::error::MediaError;
use crate::probe::Probe;

/// Receives the finished share of a piece of work, 0..=1, from time to time.
pub type Progress = Box<dyn Fn(f32) + Send>;

/// A part of a track, from one second to another.
pub type Window = (f64, f64);

/// How a part of a sound is reached, where a few milliseconds do not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// By a seek to shortly before it.
    Jumping,
    /// From the beginning of the file: slow, but it needs no index.
    Through,
}

/// The ways to reach a part of a sound of `duration` seconds, the fastest first. Not every container supports seeking,
/// and if its clock is wrong, a seek leads to the wrong place.
pub(crate) fn readings((start, _): Window, probe: &Probe) -> &'static [Reading] {
    if start > LEAD_IN && probe.has_true_clock() {
        &[Reading::Jumping, Reading::Through]
    } else {
        &[Reading::Through]
    }
}

/// Seconds before a part at which reading begins after a seek: the first frames may refer to frames that were not read
/// (MP3's bit reservoir) and stay silent.
pub(crate) const LEAD_IN: f64 = 2.0;

/// Encoders round to their frames, so this many missing seconds are tolerated.
const SHORTFALL: f64 = 0.2;

/// An output to encode.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output<'a> {
    /// The transcode settings.
    pub settings: &'a Transcode,
    /// Only this part, if set.
    pub window: Option<Window>,
    /// Tags that replace the file's own, unless tags are stripped.
    pub words: TagOverrides<'a>,
}

/// The title and artist that the owner of a track has set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TagOverrides<'a> {
    /// Replaces the title tag.
    pub title: Option<&'a str>,
    /// Replaces the artist tag.
    pub artist: Option<&'a str>,
}

impl TagOverrides<'_> {
    /// The tags as ffmpeg takes them: `title=…`, in one line. An empty value would remove the file's tag.
    pub(crate) fn tags(&self) -> impl Iterator<Item = String> {
        let tag = |(name, text): (&str, Option<&str>)| {
            let words = text?.split(|c: char| c.is_control()).filter(|words| !words.is_empty());
            let line = words.collect::<Vec<_>>().join(" ");
            Some(format!("{name}={}", line.trim())).filter(|_| !line.trim().is_empty())
        };
        [("title", self.title), ("artist", self.artist)].into_iter().filter_map(tag)
    }
}

impl<'a> Output<'a> {
    /// Adds the owner's tags.
    pub fn with_words(self, words: TagOverrides<'a>) -> Self {
        Self { words, ..self }
    }

    /// The output for a transcode or preview of a track of `duration` seconds. Returns [`MediaError::Unsupported`] for
    /// the other recipes, which need no encoding, and for an empty preview.
    pub fn of(kind: &'a RecipeKind, duration: f64) -> Result<Self, MediaError> {
        let unsupported = |reason: &str| Err(MediaError::Unsupported(reason.to_owned()));
        match kind {
            RecipeKind::Transcode(settings) => {
                Ok(Self { settings, window: None, words: TagOverrides::default() })
            }
            RecipeKind::Preview(preview) => {
                let window = preview.window(duration);
                if window.1 > window.0 {
                    Ok(Self {
                        settings: &preview.transcode,
                        window: Some(window),
                        words: TagOverrides::default(),
                    })
                } else {
                    unsupported("The preview would be empty: its settings result in a length of zero.")
                }
            }
            RecipeKind::Levels(_) => unsupported("Levels are measured, not encoded."),
            RecipeKind::Original {} => unsupported("An original is delivered as it is."),
            RecipeKind::Cover(_) => unsupported("Covers are made from pictures, not from audio."),
            RecipeKind::WaveformImage(_) => unsupported("Waveform images are drawn from levels."),
            RecipeKind::WaveformVideo(_) => unsupported("Waveform videos are drawn from levels."),
        }
    }

    /// The output's length in seconds for a track of `duration` seconds.
    pub(crate) fn seconds(&self, duration: f64) -> f64 {
        self.window.map_or(duration, |(start, end)| end - start)
    }

    pub(crate) fn content_type(&self) -> ContentType {
        self.settings.codec.content_type()
    }

    /// The metadata of a file to which this many seconds were written.
    pub(crate) fn data(&self, written: f64, missed_loudness: Option<MissedLoudness>) -> FileData {
        match self.window {
            None => FileData::None { missed_loudness },
            Some((start, end)) => {
                let is_whole = written + SHORTFALL >= end - start;
                let end = if is_whole { end } else { start + written };
                FileData::Preview {
                    duration: end - start,
                    capture_start: start,
                    capture_end: end,
                    missed_loudness,
                }
            }
        }
    }
}

/// A finished file.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// Where it is, in a folder of its own inside the scratch folder.
    pub path: PathBuf,
    /// Its content type.
    pub content_type: ContentType,
    /// Its size in bytes, at least 1.
    pub size: u64,
    /// Its other metadata.
    pub data: FileData,
}

/// Reads ffmpeg's `-progress` lines, reports the finished share (0..=1) of `seconds` to `progress`, and returns the
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
        // Before the first frame the value is `N/A` or negative.
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

/// The size of a finished file; an error if it is empty.
pub(crate) async fn check_output(path: &Path, has_sound: bool) -> Result<u64, MediaError> {
    let size = match tokio::fs::metadata(path).await {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => 0,
        Err(error) => return Err(error.into()),
    };
    if size == 0 || !has_sound {
        return Err(MediaError::no_sound());
    }
    Ok(size)
}
