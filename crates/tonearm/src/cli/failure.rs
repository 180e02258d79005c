//! Why a command failed.

use std::process::ExitCode;

use tonearm_service::Refusal;

use super::print;
use crate::{ConfigError, StartError};

/// Why a command failed; printed as one line.
pub(super) enum Failure {
    /// The command or its configuration is wrong: exit 2.
    Usage(String),
    /// The command failed: exit 1.
    Failed(String),
    /// The command did not finish: exit 2. For commands where exit 1 means that they finished and found something.
    Unfinished(String),
}

impl Failure {
    pub(super) fn failed(error: impl std::fmt::Display) -> Self {
        Self::Failed(error.to_string())
    }

    /// Prints the message to standard error, and returns the exit code.
    pub(super) fn report(self) -> ExitCode {
        let (code, message) = match self {
            Self::Usage(message) | Self::Unfinished(message) => (2, message),
            Self::Failed(message) => (1, message),
        };
        print::complain(format_args!("tonearm: {message}"));
        ExitCode::from(code)
    }
}

impl From<ConfigError> for Failure {
    fn from(error: ConfigError) -> Self {
        Self::Usage(error.to_string())
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        Self::failed(error)
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Invalid { .. } => Self::Usage(refusal.to_string()),
            Refusal::Unavailable(source)
            | Refusal::UnknownOutcome(source)
            | Refusal::Full(source)
            | Refusal::Internal(source) => Self::failed(source),
            other => Self::failed(other),
        }
    }
}
