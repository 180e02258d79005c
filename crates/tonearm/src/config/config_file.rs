//! Finds and reads the configuration file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use toml::de::DeTable;
use tonearm_api::sentence;

use super::file::Settings;
use super::{ConfigError, Overrides};

/// The configuration file of an installed package.
const INSTALLED: &str = "/etc/tonearm/tonearm.toml";

/// The data folder, unless another one is chosen.
const DATA_DIR: &str = "data";

/// A configuration file that was read.
#[derive(Default)]
pub(super) struct ConfigFile {
    /// Where it is, if there is one.
    pub(super) path: Option<PathBuf>,
    /// The text of the file; empty if there is none.
    pub(super) text: String,
    /// The data folder, unless the file chooses another one.
    pub(super) data_dir: PathBuf,
}

impl ConfigFile {
    /// Reads the given file, or `tonearm.toml` in the data folder if there is one, or that of an installed package.
    pub(super) fn read(
        overrides: &Overrides,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConfigError> {
        let path = overrides.config.clone().or_else(|| lookup("TONEARM_CONFIG").map(PathBuf::from));
        let data_dir = overrides.data_dir.clone().or_else(|| lookup("TONEARM_DATA_DIR").map(PathBuf::from));
        let path = path.or_else(|| installed(data_dir.as_deref(), Path::new(DATA_DIR), Path::new(INSTALLED)));
        let data_dir = data_dir.unwrap_or_else(|| PathBuf::from(DATA_DIR));
        let in_data_dir = data_dir.join("tonearm.toml");
        let text = match &path {
            Some(path) => Some(read_required(path)?),
            None => read_optional(&in_data_dir)?,
        };
        let path = text.is_some().then(|| path.unwrap_or(in_data_dir));
        Ok(Self { path, text: text.unwrap_or_default(), data_dir })
    }

    /// What is wrong with the value at a path in the file.
    pub(super) fn error(&self, path: &str, error: &toml::de::Error) -> ConfigError {
        let message = error.message().replace('\n', " ");
        let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split('`').next());
        let error_at = error.span().map(|span| span.start);
        // An error without a path is one of the syntax, or names a setting outside of all sections.
        let has_path = !matches!(path, "" | ".");
        let setting = if has_path { path } else { unknown.unwrap_or("configuration") };
        let problem = match unknown {
            Some(name) if path.contains('.') && Settings::has(name) => {
                format!("{name} belongs above the first [section]: what follows one is part of it")
            }
            Some(_) => UNKNOWN.to_owned(),
            None if has_path => in_toml(sentence(&message), path),
            None => message.clone(),
        };
        ConfigError::new(setting, problem).at(|_| self.line(error_at?))
    }

    /// The line of a setting, or of the section that it belongs to, if the file has it.
    pub(super) fn place_of(&self, setting: &str) -> Option<String> {
        let document = DeTable::parse(&self.text).ok()?;
        let (mut table, mut found) = (Some(document.get_ref()), None);
        for name in setting.split('.') {
            let Some((key, value)) = table.and_then(|table| table.get_key_value(name)) else { break };
            (table, found) = (value.get_ref().as_table(), Some(key.span().start));
        }
        self.line(found?)
    }

    fn line(&self, at: usize) -> Option<String> {
        let line = self.text.get(..at)?.matches('\n').count() + 1;
        Some(format!("line {line} of {}", self.path.as_ref()?.display()))
    }
}

const UNKNOWN: &str = "is no setting; `tonearm config` prints all of them";

/// A sentence about a value, in TOML's terms.
fn in_toml(sentence: String, section: &str) -> String {
    match sentence.as_str() {
        "must be an object" => format!("must be a section, [{section}]"),
        "must be an array" => "must be a list".to_owned(),
        _ => sentence,
    }
}

/// The file of an installed package, if there is neither a chosen data folder nor the default one.
fn installed(chosen: Option<&Path>, default: &Path, file: &Path) -> Option<PathBuf> {
    (chosen.is_none() && !default.exists() && file.exists()).then(|| file.to_owned())
}

fn read_required(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))
}

/// Reads an optional file. If it exists, it must be readable.
fn read_optional(path: &Path) -> Result<Option<String>, ConfigError> {
    match std::fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        read => read.map(Some).map_err(|error| unreadable(path, &error)),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> ConfigError {
    ConfigError::new("configuration", format!("cannot read {}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_package_is_used_unless_other_data_is_meant() {
        let folder = tempfile::tempdir().unwrap();
        let (file, data) = (folder.path().join("tonearm.toml"), folder.path().join("data"));
        assert_eq!(installed(None, &data, &file), None, "nothing is installed");
        std::fs::write(&file, "").unwrap();
        assert_eq!(installed(None, &data, &file), Some(file.clone()));
        assert_eq!(installed(Some(&data), &data, &file), None);
        std::fs::create_dir(&data).unwrap();
        assert_eq!(installed(None, &data, &file), None, "there is data in the current folder");
    }
}
