//! What can go wrong, whose fault it is, and how it is put to people.

use std::io;

use tonearm_domain::Outage;
use tonearm_signal::PictureError;

/// Why something could not be processed. The texts are sentences for end users, without paths or ffmpeg's jargon. The
/// process runner logs ffmpeg's own output at debug level.
///
/// `NotAudio`, `LimitHit`, `Failed` and `Unsupported` concern the file or the request and are final, except for the one
/// retry after `LimitHit`. `Outage` concerns the service: the same call may succeed later.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The bytes hold no sound that can be decoded. A retry is useless.
    #[error("{0}")]
    NotAudio(String),
    /// A limit stopped the work: processor time, memory or size. Larger limits may help
    /// ([`crate::LimitTier::Fallback`]).
    #[error("{0}")]
    LimitHit(String),
    /// The work failed for another reason in the file or the request.
    #[error("{0}")]
    Failed(String),
    /// This crate does not support the request.
    #[error("{0}")]
    Unsupported(String),
    /// The caller cancelled the work.
    #[error("The work was cancelled.")]
    Cancelled,
    /// A part of the service failed: the tools, a disk, or memory.
    #[error("{1}")]
    Outage(Outage, String),
}

/// What a line of ffmpeg's output means for the caller.
#[derive(Clone, Copy)]
enum Meaning {
    NotAudio,
    Limit,
    Failure,
    Outage(Outage),
}

/// Messages of ffmpeg and of the system's loader and their meanings, the most specific first.
const MEANINGS: &[(&str, Meaning, &str)] = &[
    ("No space left on device", Meaning::Outage(Outage::Disk), "The disk for temporary files is full."),
    ("Disk quota exceeded", Meaning::Outage(Outage::Disk), "The disk for temporary files is full."),
    (
        "while loading shared libraries",
        Meaning::Outage(Outage::Tools),
        "ffmpeg does not start: one of its libraries is missing.",
    ),
    ("Unknown encoder 'libwebp'", Meaning::Failure, "The ffmpeg of this server cannot write WebP."),
    (
        "Unknown encoder",
        Meaning::Outage(Outage::Tools),
        "The ffmpeg of this server lacks a required encoder.",
    ),
    ("std::bad_alloc", Meaning::Limit, "Processing the file exceeds the memory limit."),
    ("Cannot allocate memory", Meaning::Limit, "Processing the file exceeds the memory limit."),
    // A thread could not be started for lack of memory.
    ("Resource temporarily unavailable", Meaning::Limit, "Processing the file exceeds the memory limit."),
    ("File too large", Meaning::Limit, "The result exceeds the size limit."),
    ("not whitelisted", Meaning::NotAudio, "The format of the file is not supported."),
    ("not on whitelist", Meaning::NotAudio, "The format of the file is not supported."),
    ("moov atom not found", Meaning::NotAudio, "The MP4 file is incomplete: its index is missing."),
    ("Stream map", Meaning::NotAudio, "The file contains no audio."),
    ("does not contain any stream", Meaning::NotAudio, "The file contains no audio."),
    ("Decoder (codec", Meaning::NotAudio, "The audio codec of the file is not supported."),
    ("decoder not found", Meaning::NotAudio, "The audio codec of the file is not supported."),
    ("encryption", Meaning::NotAudio, "The audio is encrypted and cannot be decoded."),
    (
        "Invalid data found when processing input",
        Meaning::NotAudio,
        "The file is not audio, or too damaged to be read.",
    ),
    ("End of file", Meaning::NotAudio, "The file ends before the audio begins."),
];

impl From<PictureError> for MediaError {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::TooLarge => Self::LimitHit("The picture is larger than 64 megapixels.".to_owned()),
            PictureError::Unreadable => Self::Unsupported(
                "The picture cannot be read: it is damaged, or not a JPEG, PNG, WebP or GIF.".to_owned(),
            ),
            PictureError::Unwritable => {
                Self::Outage(Outage::Internal, "A picture could not be written.".to_owned())
            }
        }
    }
}

impl MediaError {
    /// The error for what ffmpeg wrote before it failed. `otherwise` is the sentence if no message is recognised.
    pub(crate) fn from_stderr(stderr: &str, otherwise: &str) -> Self {
        let meaning = MEANINGS.iter().find(|(text, ..)| stderr.contains(text));
        match meaning {
            Some((_, Meaning::NotAudio, sentence)) => Self::NotAudio((*sentence).to_owned()),
            Some((_, Meaning::Limit, sentence)) => Self::LimitHit((*sentence).to_owned()),
            Some((_, Meaning::Failure, sentence)) => Self::Failed((*sentence).to_owned()),
            Some((_, Meaning::Outage(outage), sentence)) => Self::Outage(*outage, (*sentence).to_owned()),
            None => Self::Failed(otherwise.to_owned()),
        }
    }

    pub(crate) fn no_sound() -> Self {
        Self::Failed("No audio could be decoded from this part of the file.".to_owned())
    }

    pub(crate) fn silent_file() -> Self {
        Self::NotAudio("The file contains no audio.".to_owned())
    }
}

/// Errors of our own files, pipes and threads.
impl From<io::Error> for MediaError {
    fn from(error: io::Error) -> Self {
        tracing::debug!(%error, "could not use a file of the service");
        let (outage, sentence) = match error.kind() {
            io::ErrorKind::OutOfMemory => (Outage::Memory, "The server is out of memory."),
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                (Outage::Disk, "The disk for temporary files is full.")
            }
            _ => (Outage::Disk, "A temporary file could not be read or written."),
        };
        Self::Outage(outage, sentence.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_wins_over_its_consequence() {
        let stderr = "[mov] moov atom not found\nfile:/srv/x: Invalid data found when processing input";
        let error = MediaError::from_stderr(stderr, "?");
        assert!(matches!(error, MediaError::NotAudio(_)));
        assert_eq!(error.to_string(), "The MP4 file is incomplete: its index is missing.");
    }

    #[test]
    fn a_full_disk_and_a_broken_ffmpeg_are_not_the_files_fault() {
        for (stderr, expected) in [
            ("av_interleaved_write_frame(): No space left on device", Outage::Disk),
            ("ffmpeg: error while loading shared libraries: libavcodec.so.59", Outage::Tools),
            ("Unknown encoder 'libmp3lame'", Outage::Tools),
        ] {
            let error = MediaError::from_stderr(stderr, "?");
            assert!(matches!(error, MediaError::Outage(outage, _) if outage == expected), "{error:?}");
        }
        let full = MediaError::from(io::Error::from(io::ErrorKind::StorageFull));
        assert!(matches!(full, MediaError::Outage(Outage::Disk, _)));
    }

    #[test]
    fn what_is_not_known_keeps_its_paths_to_itself() {
        let error = MediaError::from_stderr("/srv/secret: oh no", "It could not be encoded.");
        assert_eq!(error.to_string(), "It could not be encoded.");
    }
}
