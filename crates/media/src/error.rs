//! What can go wrong, and how it is put to people.

/// Why something could not be made. The texts are sentences for people: no paths, no jargon of ffmpeg. What
/// ffmpeg really said is logged at debug level where the process is run.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The bytes hold no sound that could be decoded. Trying again is no use.
    #[error("{0}")]
    NotAudio(String),
    /// A limit stopped the work: time, memory or size. Larger limits may help ([`crate::LimitTier::Fallback`]).
    #[error("{0}")]
    LimitHit(String),
    /// The work failed for another reason.
    #[error("{0}")]
    Failed(String),
    /// This crate does not make such a thing.
    #[error("{0}")]
    Unsupported(String),
    /// The caller called it off.
    #[error("The work was called off.")]
    Cancelled,
    /// ffmpeg or ffprobe is missing or does not start.
    #[error("{0}")]
    Unavailable(String),
    /// Reading or writing our own files failed.
    #[error("A file could not be read or written: {0}")]
    Io(#[from] std::io::Error),
}

/// What a line of ffmpeg's means for the caller.
#[derive(Clone, Copy)]
enum Meaning {
    NotAudio,
    Limit,
    Failure,
}

/// Texts of ffmpeg and what they mean, most telling first.
const MEANINGS: &[(&str, Meaning, &str)] = &[
    ("Cannot allocate memory", Meaning::Limit, "The file needs more memory than it may use."),
    ("File too large", Meaning::Limit, "The result grew larger than it may be."),
    ("No space left on device", Meaning::Failure, "The disk for working files is full."),
    ("not whitelisted", Meaning::NotAudio, "The file is of a format that is not accepted."),
    ("not on whitelist", Meaning::NotAudio, "The file is of a format that is not accepted."),
    ("moov atom not found", Meaning::NotAudio, "The MP4 file is incomplete: its index is missing."),
    ("Stream map", Meaning::NotAudio, "The file has no sound in it."),
    ("does not contain any stream", Meaning::NotAudio, "The file has no sound in it."),
    ("Unknown encoder", Meaning::Failure, "The ffmpeg of this server lacks an encoder that is needed."),
    ("Decoder (codec", Meaning::NotAudio, "The sound is in a codec that cannot be decoded."),
    ("decoder not found", Meaning::NotAudio, "The sound is in a codec that cannot be decoded."),
    ("encryption", Meaning::NotAudio, "The sound is encrypted and cannot be decoded."),
    (
        "Invalid data found when processing input",
        Meaning::NotAudio,
        "The file is not audio, or is too damaged to be read.",
    ),
    ("End of file", Meaning::NotAudio, "The file ends before any sound begins."),
];

impl MediaError {
    /// From what ffmpeg wrote before it gave up. `otherwise` is the sentence where nothing is recognised.
    pub(crate) fn from_stderr(stderr: &str, otherwise: &str) -> Self {
        let known = MEANINGS.iter().find(|(text, ..)| stderr.contains(text));
        match known {
            Some((_, Meaning::NotAudio, sentence)) => Self::NotAudio((*sentence).to_owned()),
            Some((_, Meaning::Limit, sentence)) => Self::LimitHit((*sentence).to_owned()),
            Some((_, Meaning::Failure, sentence)) => Self::Failed((*sentence).to_owned()),
            None => Self::Failed(otherwise.to_owned()),
        }
    }

    pub(crate) fn silent_file() -> Self {
        Self::NotAudio("The file has no sound in it.".to_owned())
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
    fn what_is_not_known_keeps_its_paths_to_itself() {
        let error = MediaError::from_stderr("/srv/secret: oh no", "It could not be encoded.");
        assert_eq!(error.to_string(), "It could not be encoded.");
    }
}
