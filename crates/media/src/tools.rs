//! Checks whether the installed ffmpeg has all that is needed.

use std::ffi::OsString;
use std::io::{PipeReader, Read};
use std::path::Path;

use tonearm_domain::Outage;

use crate::error::MediaError;
use crate::limits::RunScope;
use crate::media::Media;
use crate::sandbox;

/// The installed tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    /// ffmpeg's version, such as `5.1.9-0+deb12u1`.
    pub version: String,
    /// Whether covers are made as WebP, too. Without it they are JPEG only.
    pub encodes_webp: bool,
}

/// The encoders that recipes need.
const ENCODERS: [&str; 6] = ["aac", "flac", "libmp3lame", "libopus", "libvorbis", "pcm_s16le"];

/// Parts of ffmpeg that only some work needs, by the option that lists them, with what does not work without them.
const PARTS: [(&str, &str, &[&str]); 4] = [
    (
        "-encoders",
        "measurements, 24-bit WAV files and waveform videos",
        &["libx264", "pcm_f32le", "pcm_s24le"],
    ),
    ("-decoders", "uploads in common formats", DECODERS),
    ("-filters", "previews, loudness targets and folded channels", SOUND_FILTERS),
    ("-filters", "waveform videos", VIDEO_FILTERS),
];

const DECODERS: &[&str] = &[
    "aac",
    "alac",
    "flac",
    "mp3",
    "opus",
    "pcm_f32le",
    "pcm_s16be",
    "pcm_s16le",
    "pcm_s24le",
    "vorbis",
    "wavpack",
    "wmav2",
];
const SOUND_FILTERS: &[&str] =
    &["aformat", "alimiter", "apad", "aresample", "asetnsamples", "asetpts", "atrim", "pan", "volume"];
const VIDEO_FILTERS: &[&str] = &["alphamerge", "crop", "format", "loop", "overlay", "scale", "setpts"];

impl Media {
    /// Checks that the tools start and support all that is needed. [`MediaError::Outage`] says what is missing and how
    /// to get it.
    pub async fn check(&self) -> Result<Tools, MediaError> {
        let config = self.config();
        // No child would start, and another ffmpeg would not help.
        if self.config().confinement.is_required && !sandbox::is_complete() {
            let sentence = format!("ffmpeg is not started: {}.", sandbox::NOT_CONFINED);
            return Err(MediaError::Outage(Outage::Tools, sentence));
        }
        let help = |error| match error {
            MediaError::Outage(outage, reason) => MediaError::Outage(
                outage,
                format!(
                    "{reason} Install ffmpeg, for example with `apt-get install ffmpeg`, or set media.ffmpeg and media.ffprobe."
                ),
            ),
            other => other,
        };
        let banner = self.tool_output(&config.ffmpeg, "-version").await.map_err(help)?;
        self.tool_output(&config.ffprobe, "-version").await.map_err(help)?;
        let encoders = self.tool_output(&config.ffmpeg, "-encoders").await?;
        require_encoders(&encoders)?;
        Ok(Tools { version: version(&banner), encodes_webp: has_encoder(&encoders, "libwebp") })
    }

    /// A sentence for each kind of work that this ffmpeg lacks parts for.
    pub async fn lacking_parts(&self) -> Result<Vec<String>, MediaError> {
        let mut sentences = Vec::new();
        for (option, work, names) in PARTS {
            let lacking = lacking(&self.tool_output(&self.config().ffmpeg, option).await?, names);
            if !lacking.is_empty() {
                let (kind, names) = (option.trim_start_matches('-'), lacking.join(", "));
                sentences.push(format!(
                    "this ffmpeg lacks {kind} that {work} need: {names}; install a full build, such as Debian's"
                ));
            }
        }
        Ok(sentences)
    }

    async fn tool_output(&self, program: &Path, option: &str) -> Result<String, MediaError> {
        let args = ["-hide_banner", option].map(OsString::from).into();
        let invocation = self.invocation(program, args, &RunScope::default(), 0.0, 0);
        invocation.run(&RunScope::default().cancel, read_text).await
    }
}

/// The names that are missing from one of ffmpeg's lists. Each line has flags, a name and a description.
fn lacking(list: &str, names: &[&'static str]) -> Vec<&'static str> {
    // A decoder may exist only in another implementation, such as `mp3float`.
    let is_there = |name: &str| has_encoder(list, name) || has_encoder(list, &format!("{name}float"));
    names.iter().copied().filter(|name| !is_there(name)).collect()
}

pub(crate) fn read_text(stdout: PipeReader) -> Result<String, MediaError> {
    let mut bytes = Vec::new();
    stdout.take(1 << 20).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses the version from the first line of `ffmpeg -version`: `ffmpeg version 5.1.9 Copyright …`.
fn version(text: &str) -> String {
    text.split_ascii_whitespace().nth(2).unwrap_or("unknown").to_owned()
}

/// Returns [`MediaError::Outage`] with the names that `ffmpeg -encoders` does not list. Its lines look like ` A....D
/// flac   FLAC (…)`.
fn require_encoders(text: &str) -> Result<(), MediaError> {
    let missing: Vec<&str> = ENCODERS.into_iter().filter(|name| !has_encoder(text, name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let sentence = format!(
        "This ffmpeg lacks encoders: {}. Install a full build, such as Debian's ffmpeg package.",
        missing.join(", ")
    );
    Err(MediaError::Outage(Outage::Tools, sentence))
}

/// Whether `ffmpeg -encoders` lists a name.
fn has_encoder(text: &str, name: &str) -> bool {
    text.lines().any(|line| line.split_ascii_whitespace().nth(1) == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_encoders_are_named() {
        let all: String = ENCODERS.iter().map(|name| format!(" A....D {name}   {name}\n")).collect();
        assert!(require_encoders(&all).is_ok());
        let error = require_encoders(&all.replace("libopus", "opus")).unwrap_err().to_string();
        assert!(error.contains("lacks encoders: libopus."), "{error}");
    }

    #[test]
    fn lacking_parts_are_named() {
        let list = " V....D h264  H.264\n A....D mp3float  MP3\n ... pan  A->A  Remix\n";
        assert_eq!(lacking(list, &["mp3", "pan", "volume"]), ["volume"]);
    }

    #[test]
    fn the_version_is_the_third_word() {
        assert_eq!(version("ffmpeg version n7.1 Copyright (c) 2000-2024"), "n7.1");
        assert_eq!(version(""), "unknown");
    }
}
