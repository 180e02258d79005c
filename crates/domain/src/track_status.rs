//! The status of a track, and its allowed transitions.

use serde::{Deserialize, Serialize};

/// The status of a track (`track_status_id`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrackStatus {
    /// Waiting for its bytes.
    Initialized,
    /// The upload URL expired unused, the import failed, or the bytes are not audio.
    InitError,
    /// Being processed.
    Processing,
    /// Being processed again, with larger limits.
    FallbackProcessing,
    /// All required files were rendered.
    Ready,
    /// A required file failed, but a playable file was rendered.
    Incomplete,
    /// No playable file was rendered.
    Error,
}

/// The outcome of processing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All required files were rendered.
    Complete,
    /// A required file failed, but a playable file was rendered.
    Partial,
    /// No playable file was rendered.
    Nothing,
}

/// A transition that is not allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a track with the status {from} cannot {intent}")]
pub struct TransitionError {
    /// The current status.
    pub from: TrackStatus,
    /// The attempted action.
    pub intent: &'static str,
}

impl Outcome {
    /// Derives the outcome from the number of failed required files and of rendered playable files.
    pub fn judge(required_failed: usize, playable_made: usize) -> Self {
        match (required_failed, playable_made) {
            (_, 0) => Self::Nothing,
            (0, _) => Self::Complete,
            _ => Self::Partial,
        }
    }
}

impl TrackStatus {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Initialized,
        Self::InitError,
        Self::Processing,
        Self::FallbackProcessing,
        Self::Ready,
        Self::Incomplete,
        Self::Error,
    ];

    /// The status as text, as in SQL and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Initialized => "initialized",
            Self::InitError => "init_error",
            Self::Processing => "processing",
            Self::FallbackProcessing => "fallback_processing",
            Self::Ready => "ready",
            Self::Incomplete => "incomplete",
            Self::Error => "error",
        }
    }

    /// Whether the track can be played.
    pub const fn is_playable(self) -> bool {
        matches!(self, Self::Ready | Self::Incomplete)
    }

    /// Whether files were made, or could not be made, from its source.
    pub const fn is_settled(self) -> bool {
        matches!(self, Self::Ready | Self::Incomplete | Self::Error)
    }

    /// Whether the status changes only through another request.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::InitError | Self::Ready | Self::Incomplete | Self::Error)
    }

    /// Whether a worker is processing the track, or will process it.
    pub const fn is_processing(self) -> bool {
        matches!(self, Self::Processing | Self::FallbackProcessing)
    }

    /// The sort rank of a status in lists of tracks that need attention: failed tracks first, then tracks in progress,
    /// then ready tracks.
    pub const fn rank(self) -> u8 {
        match self {
            Self::Error => 0,
            Self::InitError => 1,
            Self::Incomplete => 2,
            Self::Initialized => 3,
            Self::FallbackProcessing => 4,
            Self::Processing => 5,
            Self::Ready => 6,
        }
    }

    fn refuse(self, intent: &'static str) -> TransitionError {
        TransitionError { from: self, intent }
    }

    /// Its bytes have arrived: processing starts.
    pub fn accept_source(self) -> Result<Self, TransitionError> {
        match self {
            Self::Initialized => Ok(Self::Processing),
            _ => Err(self.refuse("accept an upload")),
        }
    }

    /// The upload URL expired unused.
    pub fn expire_upload(self) -> Result<Self, TransitionError> {
        match self {
            Self::Initialized => Ok(Self::InitError),
            _ => Err(self.refuse("lose its upload URL")),
        }
    }

    /// Its import failed.
    pub fn fail_import(self) -> Result<Self, TransitionError> {
        match self {
            Self::Initialized => Ok(Self::InitError),
            _ => Err(self.refuse("fail to be imported")),
        }
    }

    /// The bytes are not audio.
    pub fn reject_source(self) -> Result<Self, TransitionError> {
        match self {
            Self::Initialized | Self::Processing | Self::FallbackProcessing => Ok(Self::InitError),
            _ => Err(self.refuse("have its source rejected")),
        }
    }

    /// Limits were exceeded: process it again, with larger limits.
    pub fn fall_back(self) -> Result<Self, TransitionError> {
        match self {
            Self::Processing => Ok(Self::FallbackProcessing),
            _ => Err(self.refuse("fall back")),
        }
    }

    /// Processing ended.
    pub fn settle(self, outcome: Outcome) -> Result<Self, TransitionError> {
        if !self.is_processing() {
            return Err(self.refuse("finish processing"));
        }
        Ok(match outcome {
            Outcome::Complete => Self::Ready,
            Outcome::Partial => Self::Incomplete,
            Outcome::Nothing => Self::Error,
        })
    }

    /// Failed files are rendered again: processing starts again. Only for tracks with a source; without one there is
    /// nothing to process.
    pub fn retry(self) -> Result<Self, TransitionError> {
        match self {
            Self::Ready | Self::Incomplete | Self::Error | Self::InitError => Ok(Self::Processing),
            _ => Err(self.refuse("be processed again")),
        }
    }

    /// A variant was added: processing starts again.
    pub fn add_variant(self) -> Result<Self, TransitionError> {
        match self {
            Self::Ready | Self::Incomplete | Self::Processing => Ok(Self::Processing),
            Self::FallbackProcessing => Ok(self),
            _ => Err(self.refuse("get another variant")),
        }
    }
}

impl std::fmt::Display for TrackStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for TrackStatus {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|s| s.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::TrackStatus::*;
    use super::*;

    /// The whole state machine: every status × every transition.
    #[test]
    fn only_these_moves_exist() {
        let row = |s: TrackStatus| {
            [
                s.accept_source().ok(),
                s.expire_upload().ok(),
                s.reject_source().ok(),
                s.fall_back().ok(),
                s.settle(Outcome::Complete).ok(),
                s.settle(Outcome::Partial).ok(),
                s.settle(Outcome::Nothing).ok(),
                s.add_variant().ok(),
                s.retry().ok(),
                s.fail_import().ok(),
            ]
        };
        let (done, part, none) = (Some(Ready), Some(Incomplete), Some(Error));
        let bad = Some(InitError);
        for (status, expected) in [
            (Initialized, [Some(Processing), bad, bad, None, None, None, None, None, None, bad]),
            (InitError, [None, None, None, None, None, None, None, None, Some(Processing), None]),
            (
                Processing,
                [None, None, bad, Some(FallbackProcessing), done, part, none, Some(Processing), None, None],
            ),
            (
                FallbackProcessing,
                [None, None, bad, None, done, part, none, Some(FallbackProcessing), None, None],
            ),
            (Ready, [None, None, None, None, None, None, None, Some(Processing), Some(Processing), None]),
            (
                Incomplete,
                [None, None, None, None, None, None, None, Some(Processing), Some(Processing), None],
            ),
            (Error, [None, None, None, None, None, None, None, None, Some(Processing), None]),
        ] {
            assert_eq!(row(status), expected, "{status}");
        }
    }

    #[test]
    fn outcomes_follow_what_was_made() {
        assert_eq!(Outcome::judge(0, 3), Outcome::Complete);
        assert_eq!(Outcome::judge(1, 2), Outcome::Partial);
        assert_eq!(Outcome::judge(0, 0), Outcome::Nothing);
        assert_eq!(Outcome::judge(5, 0), Outcome::Nothing);
    }

    #[test]
    fn text_there_and_back() {
        for status in TrackStatus::ALL {
            assert_eq!(status.as_str().parse(), Ok(status));
        }
    }
}
