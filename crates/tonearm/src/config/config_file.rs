//! Finds and reads the configuration file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{ConfigError, Overrides};

/// The configuration file of an installed package.
const INSTALLED: &str = "/etc/tonearm/tonearm.toml";

/// The data folder, unless another one is chosen.
const DATA_DIR: &str = "data";

/// A configuration file that was read.
pub(super) struct ConfigFile {
    /// Where it is, unless it is in the data folder.
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
        let text = match &path {
            Some(path) => read_required(path)?,
            None => read_optional(&data_dir.join("tonearm.toml"))?,
        };
        Ok(Self { path, text, data_dir })
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
fn read_optional(path: &Path) -> Result<String, ConfigError> {
    match std::fs::read_to_string(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(String::new())
        }
        read => read.map_err(|error| unreadable(path, &error)),
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
