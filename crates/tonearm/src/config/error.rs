//! The error for an invalid configuration.

/// An invalid configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(String);

impl ConfigError {
    /// A setting and what is wrong with it.
    pub(super) fn new(setting: &str, problem: impl std::fmt::Display) -> Self {
        Self(format!("{setting}: {problem}"))
    }
}

pub(super) fn positive(setting: &str, value: impl Into<u64>) -> Result<(), ConfigError> {
    if value.into() == 0 { Err(ConfigError::new(setting, "must be at least 1")) } else { Ok(()) }
}
