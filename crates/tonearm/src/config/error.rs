//! The error for an invalid configuration.

/// An invalid configuration, in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}{}", .place.as_ref().map(|place| format!(" ({place})")).unwrap_or_default())]
pub struct ConfigError {
    setting: String,
    problem: String,
    /// Where the setting is set.
    place: Option<String>,
}

impl ConfigError {
    /// A setting and what is wrong with it.
    pub(super) fn new(setting: &str, problem: impl std::fmt::Display) -> Self {
        Self { setting: setting.to_owned(), problem: problem.to_string(), place: None }
    }

    /// With the place where the setting is set, if it is not known yet.
    pub(super) fn at(mut self, place: impl FnOnce(&str) -> Option<String>) -> Self {
        self.place = self.place.or_else(|| place(&self.setting));
        self
    }
}

pub(super) fn positive(setting: &str, value: impl Into<u64>) -> Result<(), ConfigError> {
    if value.into() == 0 { Err(ConfigError::new(setting, "must be at least 1")) } else { Ok(()) }
}
